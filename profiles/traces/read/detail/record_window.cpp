#include "profiles/traces/read/detail/record_window.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "profiles/traces/read/detail/record_fields.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::otf2 {
namespace {

constexpr std::size_t kWindow = 64 * 1024;

int open_regular(const std::filesystem::path& file, struct stat& status) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) throw SystemError("read", file.string(), errno);
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    throw FormatError(file.string(), "the file", "something else", "a regular file");
  }
  return descriptor;
}

}  // namespace

RecordWindow::RecordWindow(const std::filesystem::path& file,
                           std::shared_ptr<DescriptorBudget> budget)
    : file_(file), budget_(std::move(budget)) {
  struct stat status {};
  descriptor_ = open_regular(file, status);
  size_ = static_cast<std::uint64_t>(status.st_size);
  if (budget_ && budget_->left == 0) {
    ::close(descriptor_);
    descriptor_ = -1;
  } else if (budget_) {
    --budget_->left;
  }
}

RecordWindow::~RecordWindow() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (budget_) ++budget_->left;
}

std::size_t RecordWindow::read_at(std::uint8_t* into, std::size_t bytes, std::uint64_t position) {
  int descriptor = descriptor_;
  if (descriptor < 0) {
    struct stat status {};
    descriptor = open_regular(file_, status);
  }
  std::size_t got = 0;
  int error = 0;
  while (got < bytes) {
    const ::ssize_t now =
        ::pread(descriptor, into + got, bytes - got, static_cast<::off_t>(position + got));
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) error = errno;
    if (now <= 0) break;
    got += static_cast<std::size_t>(now);
  }
  if (descriptor_ < 0) ::close(descriptor);
  if (error != 0) throw SystemError("read", file_.string(), error);
  return got;
}

bool RecordWindow::fetch(std::size_t bytes) {
  if (bytes > left()) {
    // What there is goes into the window all the same: a record's front may show what it is.
    if (left() > available()) fetch(static_cast<std::size_t>(left()));
    return bytes <= available();
  }
  const std::size_t have = available();
  const std::size_t want =
      std::max(bytes, static_cast<std::size_t>(std::min<std::uint64_t>(kWindow, left())));
  if (want > capacity_) {
    auto larger = std::make_unique<std::uint8_t[]>(want + kPadding);
    if (have > 0) std::memcpy(larger.get(), begin_, have);
    buffer_ = std::move(larger);
    capacity_ = want;
  } else if (have > 0) {
    std::memmove(buffer_.get(), begin_, have);
  }
  begin_ = buffer_.get();
  end_ = begin_ + have;
  const std::size_t got = read_at(buffer_.get() + have, want - have, end_position_);
  end_ += got;
  end_position_ += got;
  if (got < want - have) size_ = end_position_;  // cut since it was opened
  std::memset(buffer_.get() + have + got, 0, kPadding);
  return bytes <= available();
}

void RecordWindow::skip(std::uint64_t bytes) {
  if (bytes <= available()) {
    advance(static_cast<std::size_t>(bytes));
    return;
  }
  end_position_ = position() + std::min(bytes, left());
  begin_ = end_ = buffer_.get();
}

void RecordWindow::fail(std::string_view found, std::string_view expected) const {
  throw FormatError(file_.string(), fmt::format("byte {}", position()), found, expected);
}

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
