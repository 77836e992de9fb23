#include "profiles/formats/document/byte_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::size_t kWindowBytes = std::size_t{1} << 20U;

std::uint64_t checked_size(int descriptor, const std::filesystem::path& path, std::uint64_t limit) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw SystemError("read", path.string(), errno);
  if (!S_ISREG(status.st_mode))
    throw FormatError(path.string(), "the file", "something that is not a regular file",
                      "a regular file");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > limit)
    throw FormatError(path.string(), "the file", fmt::format("{} bytes", size),
                      fmt::format("at most {} bytes", limit));
  return size;
}

}  // namespace

ByteSource::ByteSource(std::string_view bytes)
    : size_(bytes.size()), begin_(bytes.data()), at_(begin_), end_(begin_ + bytes.size()) {}

ByteSource::ByteSource(const std::filesystem::path& path, std::uint64_t limit)
    : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), path_(path), size_(0) {
  if (descriptor_ < 0) throw SystemError("open", path.string(), errno);
  try {
    size_ = checked_size(descriptor_, path, limit);
    capacity_ = std::min<std::size_t>(kWindowBytes, std::max<std::uint64_t>(size_, 1));
    buffer_ = std::make_unique_for_overwrite<char[]>(capacity_);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
  begin_ = at_ = end_ = buffer_.get();
}

ByteSource::~ByteSource() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

// Behind the unread bytes, which go to the front; a window that is full of them grows.
void ByteSource::make_room() {
  const auto kept = static_cast<std::size_t>(end_ - at_);
  if (kept == capacity_) {
    auto larger = std::make_unique_for_overwrite<char[]>(2 * capacity_);
    std::memcpy(larger.get(), at_, kept);
    buffer_ = std::move(larger);
    capacity_ *= 2;
  } else if (kept > 0) {
    std::memmove(buffer_.get(), at_, kept);
  }
  window_begin_ = position();
  begin_ = at_ = buffer_.get();
  end_ = at_ + kept;
}

bool ByteSource::fetch() {
  if (descriptor_ < 0) return false;
  const std::uint64_t offset = window_begin_ + static_cast<std::uint64_t>(end_ - begin_);
  if (offset >= size_) return false;
  make_room();
  const auto kept = static_cast<std::size_t>(end_ - begin_);
  const std::size_t wanted = std::min<std::uint64_t>(capacity_ - kept, size_ - offset);
  ssize_t got = 0;
  do {
    got = ::pread(descriptor_, buffer_.get() + kept, wanted, static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw SystemError("read", path_.string(), errno);
  if (got == 0) size_ = offset;  // cut while we read: the parser will say what is missing
  end_ += got;
  return got > 0;
}

void ByteSource::seek(std::uint64_t position) {
  if (descriptor_ < 0) {
    at_ = begin_ + position;
    return;
  }
  window_begin_ = position;
  begin_ = at_ = end_ = buffer_.get();
}

}  // namespace huddle
