#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace huddle::files {

/// A file that appears whole or not at all: it is written under a temporary name in the same
/// directory, and renamed by commit(). Without commit() the destructor removes what was written.
/// Safe beside other writers on a shared file system, since temporary names are unique by host,
/// process and time. Owned by one thread.
class AtomicFile {
 public:
  /// Creates the temporary file with `mode`; never follows or overwrites an existing temporary
  /// file. The directory must exist. Throws SystemError, or Error if `path` is a directory, a
  /// device or a pipe, or a link to one: only regular files and other links are replaced.
  explicit AtomicFile(std::filesystem::path path, unsigned mode = 0644);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends all of `bytes`. Throws SystemError (a full disk, for instance).
  void write(std::string_view bytes);
  /// Appends as many zeros as a hole, which takes no room. Throws SystemError.
  void skip(std::uint64_t bytes);
  /// Makes the file durable and gives it its name, replacing an older one. Throws SystemError.
  void commit();
  /// Like commit(), but returns before it is durable: for what costs nothing if a machine that
  /// fails takes it along.
  void commit_soon();

 private:
  enum class Durable : bool { kNo, kYes };
  void finish(Durable durable);
  void rename_into_place();

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
};

/// The whole content of a regular file of at most `limit` bytes. Throws SystemError, or Error if it
/// is larger or not a regular file (a FIFO would hang its reader).
std::string read_file(const std::filesystem::path& path, std::uint64_t limit);

}  // namespace huddle::files
