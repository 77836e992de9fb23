#include "profiles/traces/read/chunk_walk.hpp"

#include <fmt/format.h>

#include "profiles/traces/read/record_fields.hpp"

namespace huddle::otf2 {

ChunkWalk::ChunkWalk(RecordWindow& window, std::uint64_t chunk_bytes)
    : window_(window), chunk_bytes_(chunk_bytes) {
  read_header();
}

void ChunkWalk::read_header() {
  constexpr std::string_view kExpected = "the header of a chunk of OTF2 (03 42 or 03 23)";
  if (!window_.ensure(2)) window_.fail("the end of the file", kExpected);
  const std::uint8_t* at = window_.data();
  if (at[0] != kChunkHeader || (at[1] != kLittleEndian && at[1] != kBigEndian))
    window_.fail(fmt::format("{:02x} {:02x}", at[0], at[1]), kExpected);
  big_endian_ = at[1] == kBigEndian;
  // Definitions of old archives are in one piece, without the numbers: there a record follows.
  if (window_.position() == 0) {
    window_.ensure(kChunkHeaderBytes);
    chunked_ = window_.left() >= kChunkHeaderBytes && load(window_.data() + 2, big_endian_) == 1;
  }
  if (chunked_ && !window_.ensure(kChunkHeaderBytes))
    window_.fail("the end of the file", "a whole header of a chunk");
  window_.advance(chunked_ ? kChunkHeaderBytes : 2);
}

bool ChunkWalk::next_chunk() {
  for (;;) {
    if (!window_.ensure(1))
      window_.fail("the end of the file", "a record or the mark of the file's end");
    switch (*window_.data()) {
      case kEndOfFile:
        return false;
      case kEndOfChunk:
      case kEndOfBuffer: {
        if (!chunked_) return false;
        const std::uint64_t behind = window_.position() % chunk_bytes_;
        window_.skip(chunk_bytes_ - behind);
        if (window_.left() == 0)
          window_.fail("the end of the file", "one more chunk or the mark of the file's end");
        read_header();
        break;
      }
      case kChunkHeader:
        window_.fail("a chunk's header", "a record");
      default:
        return true;
    }
  }
}

}  // namespace huddle::otf2
