#pragma once

#include <sys/types.h>

#include <filesystem>

#include "profiles/files/owned_descriptor.hpp"

namespace huddle::keeper {

/// A name of chance for a keeper's socket in the run directory: ranks learn it from their
/// environment, and nobody learns from it who runs what. Throws SystemError.
std::filesystem::path new_keeper_socket(const std::filesystem::path& run);

/// A socket of packets that listens at `path`, in a directory that is this user's own and is made
/// if it is not there. Nobody but `user` and root may connect. Removes the sockets of keepers there
/// that listen no more. Throws SystemError, or Error if the directory is somebody else's.
files::OwnedDescriptor listen_for_ranks(const std::filesystem::path& path, uid_t user);

/// Once its keeper has ended. Does nothing if there is none.
void remove_keeper_socket(const std::filesystem::path& path) noexcept;

}  // namespace huddle::keeper
