#pragma once

// Files whose names are Huddle's own, in a user's part of the store: whatever else has taken such a
// name (a folder, a link, a pipe, a file of somebody else's) is not read, and makes way.

#include <cstdint>
#include <filesystem>
#include <string>

#include "profiles/files/owned_descriptor.hpp"

namespace huddle::files {

/// read_file() that follows no link. Throws as that does.
std::string read_own_file(const std::filesystem::path& path, std::uint64_t limit);

/// Before an AtomicFile of that name: what it could not replace makes way (clear_name()).
void make_way(const std::filesystem::path& path) noexcept;

/// Opens a file to read, write and lock it, and makes it, with mode 0600, if it is not there. What
/// can't be used so makes way. Throws SystemError.
OwnedDescriptor open_own_file(const std::filesystem::path& path);

/// Frees a name. Nothing is followed and no folder's content removed: a folder that is not empty
/// gets a hidden name beside, as unfinished files have, and goes when they do. Whoever uses the
/// name finds out if it could not be cleared.
void clear_name(const std::filesystem::path& path) noexcept;

}  // namespace huddle::files
