#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profiles/files/atomic_file.hpp"

namespace huddle {

/// Writes an archive of POSIX's ustar format (pax, "ustar Interchange Format") into a file: regular
/// files of nobody in particular, of the year 1970, so that equal content gives equal archives.
class TarArchive {
 public:
  /// `file` is not owned.
  explicit TarArchive(AtomicFile& file) : file_(file) {}

  /// Begins a member of exactly `bytes` bytes. `name` has at most 99 of ASCII. Throws Error from
  /// 8 GiB on, which the format's header can't say, and SystemError.
  void begin(const std::string& name, std::uint64_t bytes);
  /// Throws SystemError.
  void append(std::string_view bytes);
  /// Ends the member. Throws Error if it has another length than was said.
  void end();
  /// Ends the archive.
  void finish();

 private:
  AtomicFile& file_;
  std::string name_;
  std::uint64_t expected_ = 0;
  std::uint64_t written_ = 0;
};

}  // namespace huddle
