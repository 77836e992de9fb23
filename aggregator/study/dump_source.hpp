#pragma once

// The bytes of a dump: from a file, plain or compressed, or from the standard input.

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "profiles/files/owned_descriptor.hpp"

namespace huddle::study {

/// A file that gzip, zstd, xz or bzip2 wrote is unpacked by that program, in a process beside this
/// one.
class DumpSource {
 public:
  /// `file`: "-" is the standard input. Throws SystemError, and Error if the standard input is
  /// compressed.
  explicit DumpSource(const std::string& file);
  /// Ends the program that unpacks, if it still runs.
  ~DumpSource();
  DumpSource(const DumpSource&) = delete;
  DumpSource& operator=(const DumpSource&) = delete;

  /// The next piece; empty at the end. It lives until the next call. Throws SystemError, and Error
  /// if the file could not be unpacked.
  std::string_view next();

  /// Bytes of the file, where they are what next() returns.
  [[nodiscard]] std::optional<std::uint64_t> size() const { return size_; }

 private:
  void unpack_with(const std::string& program);
  void wait_for_program();

  std::string name_;
  files::OwnedDescriptor input_;
  std::string buffer_;
  /// Bytes at the beginning that were looked at.
  std::size_t looked_at_ = 0;
  std::optional<std::uint64_t> size_;
  std::string program_;
  pid_t child_ = -1;
};

}  // namespace huddle::study
