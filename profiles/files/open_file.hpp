#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>

namespace huddle::files {

/// An open file of this process; closed with the object. Owned by one thread.
class OpenFile {
 public:
  /// Takes a descriptor, which may be that of a failed open(), below 0. `name` is for messages.
  OpenFile(int descriptor, std::string name);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Throws SystemError.
  [[nodiscard]] struct stat status() const;
  /// Reads `size` bytes from where it stands, or fewer if it ends before. Throws SystemError.
  [[nodiscard]] std::string read(std::size_t size) const;
  /// Writes all of `bytes`. Throws SystemError (a full disk, for instance).
  void write(std::string_view bytes) const;

 private:
  int descriptor_;
  std::string name_;
};

}  // namespace huddle::files
