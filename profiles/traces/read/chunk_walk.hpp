#pragma once

// Internal to the reader of traces.

#include <cstdint>

#include "profiles/traces/otf2_format.hpp"
#include "profiles/traces/read/record_window.hpp"

namespace huddle::otf2 {

/// Goes through the chunks that a file of a trace is cut into. Each has a header and, where records
/// of the next size would not fit any more, an end mark with zeros up to its full size.
class ChunkWalk {
 public:
  /// Reads the first header. `chunk_bytes` is what the anchor says of files of this kind. Throws
  /// FormatError.
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
