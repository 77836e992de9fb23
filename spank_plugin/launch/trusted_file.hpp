#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace huddle {

/// The content of a file that root may believe: a regular file of at most `limit` bytes that root
/// owns, that nobody else may write to, and that is no link. What is checked is what is read, also
/// if somebody replaces the file meanwhile. (Its directory should be root's as well.) Never waits.
/// Throws SystemError, or Error saying what is not to be trusted.
std::string read_trusted_file(const std::filesystem::path& path, std::uint64_t limit);

}  // namespace huddle
