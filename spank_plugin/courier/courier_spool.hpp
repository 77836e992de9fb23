#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "profiles/processes/process_identity.hpp"

namespace huddle::courier {

/// Where ranks of a node's step leave their files for its courier: a folder of the node's memory,
/// named after the user, the node, the step ("17.0") and the step's slurmstepd. Nodes of a test
/// share one memory, and a requeued job's steps their names.
std::filesystem::path spool_of(std::string_view step, uid_t user,
                               const processes::ProcessIdentity& slurmstepd);

/// Tells if a spool of the job is in the memory of this node: its courier has not brought all yet,
/// or was killed. Throws SystemError if the folder can't be listed.
bool has_spools(std::uint32_t job, uid_t user);

/// Removes the spools of this node that couriers left in `memory` when they were killed: those of
/// slurmstepds that are gone, and which no courier holds by a lock (flock) on the folder. Each with
/// the rights of the user it is named after and belongs to, in a process of its own; of nobody but
/// this process's user, unless that is root. Takes 2 s at most, and of each user the first 8:
/// whoever left more of them, or larger ones, waits for the next time, and nobody else does.
/// Returns how many. What can't be removed stays. Throws SystemError if no process can be started.
std::size_t remove_left_spools(const std::filesystem::path& memory = "/dev/shm");

}  // namespace huddle::courier
