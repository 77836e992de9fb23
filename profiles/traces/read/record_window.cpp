#include "profiles/traces/read/record_window.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

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
    // Whatever there is shall be in the window all the same: a record's front can tell what it is.
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

}  // namespace huddle::otf2
