#pragma once

// Temporary files, arrays on disk and files of records, for logs that need not fit into memory.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "profiles/vocabulary/error.hpp"

namespace huddle::waitstates {

/// A file without a name, so that nothing is left of it however this process ends: made in `folder`
/// (empty: the system's folder for temporary files, see TMPDIR). Not thread-safe.
class TemporaryFile {
 public:
  /// Throws SystemError.
  explicit TemporaryFile(const std::filesystem::path& folder);
  ~TemporaryFile();
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&& other) noexcept;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Appends. Throws SystemError.
  void write(std::string_view bytes);

 private:
  void close();

  std::filesystem::path called_;  // for messages
  int descriptor_ = -1;
};

/// Zeroed memory that, where it is large, is a mapped file without a name. As safe for threads as
/// plain memory.
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

/// What was touched of mapped files counts as memory of this process. Where that is more than some
/// 16 MiB (up to 64 from when that was given back too often, as long as any file is mapped), this
/// gives it back to the system, which has it at hand, or on disk, when it is touched again. To be
/// called in loops over DiskArrays, for each element or a few: it looks only now and then. Pointers
/// and values stay as they are. From any thread.
void keep_mapped_files_small();

/// A fixed number of plain values, all bits 0 at first, that need not fit into memory (see
/// MappedBytes).
template <typename T>
class DiskArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  DiskArray() = default;
  /// Throws SystemError.
  DiskArray(std::uint64_t size, const std::filesystem::path& folder)
      : bytes_(static_cast<std::size_t>(size) * sizeof(T), folder), size_(size) {}

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] T* data() { return static_cast<T*>(bytes_.data()); }
  [[nodiscard]] const T* data() const { return static_cast<const T*>(bytes_.data()); }
  T& operator[](std::uint64_t index) { return data()[index]; }
  const T& operator[](std::uint64_t index) const { return data()[index]; }

 private:
  MappedBytes bytes_;
  std::uint64_t size_ = 0;
};

/// Plain records that are appended, and read from first to last. Up to `in_memory` bytes stay in
/// memory; if there are more, all go to a temporary file, in as large pieces. Not thread-safe.
template <typename Record>
class SpillFile {
  static_assert(std::is_trivially_copyable_v<Record>);

 public:
  SpillFile(std::filesystem::path folder, std::size_t in_memory)
      : folder_(std::move(folder)), most_(std::max<std::size_t>(in_memory / sizeof(Record), 1)) {}

  /// Throws SystemError.
  void append(const Record& record) {
    if (recent_.size() == most_) spill();
    recent_.push_back(record);
    ++size_;
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// Calls use(record) for each. Throws SystemError.
  template <typename Use>
  void each(const Use& use) const {
    if (file_) each_of_file(file_->descriptor(), size_ - recent_.size(), folder_, use);
    for (const Record& record : recent_) {
      use(record);
      keep_mapped_files_small();
    }
  }

 private:
  void spill() {
    if (!file_) file_.emplace(folder_);
    file_->write({reinterpret_cast<const char*>(recent_.data()), recent_.size() * sizeof(Record)});
    recent_.clear();
  }

  template <typename Use>
  static void each_of_file(int descriptor, std::uint64_t size, const std::filesystem::path& path,
                           const Use& use) {
    constexpr std::uint64_t kPiece = 16'384;
    std::vector<Record> piece(static_cast<std::size_t>(std::min(size, kPiece)));
    for (std::uint64_t done = 0; done < size;) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(size - done, kPiece));
      read_whole(descriptor, piece.data(), count * sizeof(Record), done * sizeof(Record), path);
      for (std::size_t i = 0; i < count; ++i) {
        use(std::as_const(piece[i]));
        keep_mapped_files_small();
      }
      done += count;
    }
  }

  static void read_whole(int descriptor, void* into, std::size_t bytes, std::uint64_t offset,
                         const std::filesystem::path& path) {
    auto* next = static_cast<char*>(into);
    while (bytes > 0) {
      const ssize_t got = pread(descriptor, next, bytes, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw SystemError("read the temporary file", path.string(), errno);
      if (got == 0)
        throw Error("the temporary file " + path.string() +
                    " ends too early: was it changed while it was in use?");
      next += got;
      bytes -= static_cast<std::size_t>(got);
      offset += static_cast<std::uint64_t>(got);
    }
  }

  std::filesystem::path folder_;
  std::size_t most_;
  std::vector<Record> recent_;
  std::optional<TemporaryFile> file_;
  std::uint64_t size_ = 0;
};

}  // namespace huddle::waitstates
