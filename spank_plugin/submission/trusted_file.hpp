#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "profiles/vocabulary/error.hpp"

namespace huddle {

/// A file that must not be believed.
class UntrustedFile : public Error {
 public:
  using Error::Error;
};

/// The content of a file that this process may believe: a regular file of at most `limit` bytes that
/// nobody else may write to. For root it must be root's, and no link; for others it may also be
/// their own. What is checked is what is read, also if somebody replaces the file meanwhile. (Its
/// directory should be root's as well.) Never waits. Throws SystemError, UntrustedFile saying what is not to be trusted, or Error if it is too large.
std::string read_trusted_file(const std::filesystem::path& path, std::uint64_t limit);

}  // namespace huddle
