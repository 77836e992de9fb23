#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "profiles/vocabulary/error.hpp"

namespace huddle::files {

/// A file that must not be believed.
class UntrustedFile : public Error {
 public:
  using Error::Error;
};

/// The content of a file that this process may believe: a regular file of at most `limit` bytes
/// that nobody else may write to. For root it must be root's, and no link; for others it may also
/// be their own. What is checked is what is read, also if somebody replaces the file meanwhile.
/// (Its directory should be root's as well.) Never waits. Throws SystemError, UntrustedFile saying
/// what is not to be trusted, or Error if it is too large.
std::string read_trusted_file(const std::filesystem::path& path, std::uint64_t limit);

/// Why this process must not follow, load or run what is at `path`: somebody who is neither root
/// nor this process's user could change it, or put something else in its place. Each folder on the
/// way is looked at, also where links lead; in one that all may write to and that is sticky, as
/// /tmp is, nobody can touch what is another's. Empty if nobody could, or as far as nothing is
/// there.
std::string why_untrusted(const std::filesystem::path& path);

}  // namespace huddle::files
