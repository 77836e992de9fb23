#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace huddle {

/// A file for this process only while it runs: made in `folder` (empty: the system's folder for
/// temporary files, as TMPDIR says) and removed at the end. One thread's.
class TemporaryFile {
 public:
  enum class Name : bool {
    kNone,  ///< removed at once: nothing is left, however this process ends
    kKept   ///< others can open it while this object lives
  };
  /// Throws SystemError.
  TemporaryFile(const std::filesystem::path& folder, Name name);
  ~TemporaryFile();
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&& other) noexcept;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Appends. Throws SystemError.
  void write(std::string_view bytes);

 private:
  void close();

  std::filesystem::path path_;    // empty: has no name any more
  std::filesystem::path called_;  // for errors
  int descriptor_ = -1;
};

/// `bytes` zeros that are in memory as far as there is some, and else in a file without a name. No
/// thread's own: like plain memory.
class MappedBytes {
 public:
  MappedBytes() = default;
  /// Throws SystemError, also where the disk has no room.
  MappedBytes(std::size_t bytes, const std::filesystem::path& folder);
  ~MappedBytes();
  MappedBytes(MappedBytes&& other) noexcept;
  MappedBytes& operator=(MappedBytes&& other) noexcept;

  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace huddle
