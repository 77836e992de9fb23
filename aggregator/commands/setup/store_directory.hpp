#pragma once

#include <filesystem>
#include <string>

namespace huddle {

/// Why that can't be a site's directory of profiles as it is: a link, no directory, or one that
/// belongs to neither root nor this user, who could lead it elsewhere. Empty if it can, or if
/// nothing is there.
std::string why_no_store(const std::filesystem::path& directory);

/// Makes the directory of profiles, in a directory that is there, for all users: mode 1777. Whoever
/// may write to the latter can't make it change anything else: it is made, looked at and opened to
/// all by descriptors. Throws SystemError, and Error if something else took its place meanwhile.
void make_store_directory(const std::filesystem::path& directory);

}  // namespace huddle
