#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

#include "profiles/files/owned_descriptor.hpp"

namespace huddle {

/// Where the ranks of a step find its keeper on this node: "keeper-17.0" in the run directory.
std::filesystem::path keeper_socket_of(const std::filesystem::path& run, std::uint32_t job,
                                       std::uint32_t step);

/// A socket of packets that listens at `path`, in a directory that is this user's own and is made
/// if it is not there. Nobody but `user` and root may connect. Removes the sockets of keepers there
/// that listen no more. Throws SystemError, or Error if another one listens at `path`.
OwnedDescriptor listen_for_ranks(const std::filesystem::path& path, uid_t user);

/// Once its keeper has ended. Does nothing if there is none.
void remove_keeper_socket(const std::filesystem::path& path) noexcept;

}  // namespace huddle
