#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "profiles/traces/read/detail/otf2_format.hpp"

namespace huddle::otf2 {

/// How many more files of a trace may stay open between two reads. Processes often may open no more
/// than 1024, and a trace has one for each location: those beyond the budget are opened for each
/// read.
struct DescriptorBudget {
  std::size_t left = 256;
};

/// A buffered window into a trace's file. (The file is not mapped: if it
/// were cut meanwhile, touching the map would end the process.) Not thread-safe.
class RecordWindow {
 public:
  /// That many zero bytes can always be read behind the window's end, so that a decoder need not
  /// look at each number whether it still fits.
  static constexpr std::size_t kPadding = 128;

  /// Opens a regular file. `budget` may be null, and must outlive the window. Throws SystemError,
  /// or FormatError if it is something else (a FIFO would hang its reader).
  explicit RecordWindow(const std::filesystem::path& file,
                        std::shared_ptr<DescriptorBudget> budget = nullptr);
  ~RecordWindow();
  RecordWindow(const RecordWindow&) = delete;
  RecordWindow& operator=(const RecordWindow&) = delete;

  [[nodiscard]] const std::uint8_t* data() const { return begin_; }
  [[nodiscard]] std::size_t available() const { return static_cast<std::size_t>(end_ - begin_); }
  /// Has `bytes` in the window, which may move; false if the file ends before. The window grows as
  /// needed, and never beyond the file's size.
  bool ensure(std::size_t bytes) { return bytes <= available() || fetch(bytes); }
  /// `bytes` of what is available are read.
  void advance(std::size_t bytes) { begin_ += bytes; }
  /// Goes on that many bytes, available or not; to the file's end at most.
  void skip(std::uint64_t bytes);

  /// Of data() in the file.
  [[nodiscard]] std::uint64_t position() const { return end_position_ - available(); }
  [[nodiscard]] std::uint64_t left() const { return size_ - position(); }
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// Throws FormatError that names the file and the position.
  [[noreturn]] void fail(std::string_view found, std::string_view expected) const;

 private:
  bool fetch(std::size_t bytes);
  std::size_t read_at(std::uint8_t* into, std::size_t bytes, std::uint64_t position);

  std::filesystem::path file_;
  std::shared_ptr<DescriptorBudget> budget_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::unique_ptr<std::uint8_t[]> buffer_;
  std::size_t capacity_ = 0;
  const std::uint8_t* begin_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  std::uint64_t end_position_ = 0;  // of end_ in the file
};

/// Iterates over the chunks of a trace's file. Each has a header and, where the next record does
/// not fit, an end mark and zeros up to its full size.
class ChunkWalk {
 public:
  /// Reads the first header. `chunk_bytes` is the anchor's chunk size for files of this kind.
  /// Throws FormatError.
  ChunkWalk(RecordWindow& window, std::uint64_t chunk_bytes);

  [[nodiscard]] bool big_endian() const { return big_endian_; }
  /// At a record's type: goes on to the next chunk if it is a mark for that. False at the end of
  /// the file. Throws FormatError where it ends without its mark.
  bool at_record() {
    return window_.ensure(1) && *window_.data() > kChunkHeader ? true : next_chunk();
  }

 private:
  bool next_chunk();
  void read_header();

  RecordWindow& window_;
  std::uint64_t chunk_bytes_;
  bool chunked_ = true;
  bool big_endian_ = false;
};

}  // namespace huddle::otf2
