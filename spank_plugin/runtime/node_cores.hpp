#pragma once

#include <filesystem>
#include <vector>

#include "profiles/hardware/processors/physical_cores.hpp"
#include "profiles/recorder/mpi/channel.hpp"

namespace huddle::runtime {

/// The cores of this node, as physical_cores() reads them from `sysfs`: thousands of small files,
/// which one rank of the node reads for all. Collective over `node`. Throws Error where MPI fails.
std::vector<PhysicalCore> cores_of_node(const recorder::Channel& node,
                                        const std::filesystem::path& sysfs);

}  // namespace huddle::runtime
