#pragma once

// Internal to the reader of profiles.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

namespace huddle {

/// The bytes of a document, of which a window is in memory: a profile of a million ranks is read
/// without a second copy of it. (The file is not mapped: if it were cut meanwhile, touching the map
/// would end the process.) Owned by one thread.
class ByteSource {
 public:
  /// Views `bytes`, which must outlive it.
  explicit ByteSource(std::string_view bytes);
  /// Opens a regular file of at most `limit` bytes. Throws SystemError, or FormatError if it is
  /// larger or something else (a FIFO would hang its reader).
  ByteSource(const std::filesystem::path& path, std::uint64_t limit);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// The bytes of the window that are still unread.
  [[nodiscard]] std::string_view unread() const { return {at_, end_}; }
  /// `bytes` of them are read. What unread() gave stays in place until fetch() or seek().
  void advance(std::size_t bytes) { at_ += bytes; }
  /// Puts more bytes behind the unread ones, which may move; false at the end. Throws SystemError.
  bool fetch();
  /// Has `bytes` unread ones in the window; false if the document ends before. Throws SystemError.
  bool require(std::size_t bytes) {
    while (unread().size() < bytes)
      if (!fetch()) return false;
    return true;
  }

  /// Of the first unread byte.
  [[nodiscard]] std::uint64_t position() const {
    return window_begin_ + static_cast<std::uint64_t>(at_ - begin_);
  }
  /// How many bytes there are from position() to the end.
  [[nodiscard]] std::uint64_t left() const { return size_ - position(); }
  /// Reads on at `position`, which must not be behind the end.
  void seek(std::uint64_t position);

 private:
  void make_room();

  int descriptor_ = -1;  // of a file
  std::filesystem::path path_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;

  std::uint64_t size_;
  std::uint64_t window_begin_ = 0;  // where begin_ is in the document
  const char* begin_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace huddle
