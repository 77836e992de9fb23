#include "profiles/recorder/process/root_marker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

#include "profiles/files/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/hash.hpp"

namespace huddle::recorder {

namespace {

constexpr std::uint64_t kLongestContent = 4096;

std::int64_t seconds_of(RootMarker::Time time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

}  // namespace

RootMarker::RootMarker(std::filesystem::path landmark, std::string run)
    : landmark_(std::move(landmark)),
      run_(std::move(run)),
      file_(landmark_.parent_path() / fmt::format(".huddle-run-{:016x}", hash_of(run_))) {}

void RootMarker::make(Time now) {
  static constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int file = ::open(file_.c_str(), kFlags, 0600);
  if (file < 0 && errno == EEXIST && ::unlink(file_.c_str()) == 0)
    file = ::open(file_.c_str(), kFlags, 0600);
  if (file < 0) throw SystemError("create a file beside", landmark_.string(), errno);
  process_ = ::getpid();
  const std::string text = fmt::format("{}\n{}\n", run_, seconds_of(now));
  const ssize_t count = ::write(file, text.data(), text.size());
  bool written = count == std::ssize(text);
  int reason = count < 0 ? errno : ENOSPC;
  if (::close(file) != 0 && written) {  // network file systems report a full disk only now
    written = false;
    reason = errno;
  }
  if (written) return;
  withdraw();
  throw SystemError("write a file beside", landmark_.string(), reason);
}

void RootMarker::withdraw() noexcept {
  if (process_ == 0 || process_ != ::getpid()) return;
  process_ = 0;
  ::unlink(file_.c_str());
}

bool RootMarker::visible(Time now) const noexcept {
  try {
    const std::string content = files::read_file(file_, kLongestContent);
    std::string_view rest = content;
    if (!rest.starts_with(run_ + '\n')) return false;
    rest.remove_prefix(run_.size() + 1);
    std::int64_t made = 0;
    const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), made);
    if (failure != std::errc{} || std::string_view(end, rest.data() + rest.size()) != "\n")
      return false;
    return std::abs(seconds_of(now) - made) <= std::chrono::seconds(kLongestStart).count();
  } catch (...) {
    return false;
  }
}

}  // namespace huddle::recorder
