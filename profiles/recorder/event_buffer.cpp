#include "profiles/recorder/event_buffer.hpp"

#include <fcntl.h>

#include <utility>

#include "profiles/recorder/file_limit_guard.hpp"
#include "profiles/recorder/tick_clock.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

int made(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
                                0644);  // NOLINT: C's interface
  if (descriptor < 0) throw SystemError("make", path.native(), errno);
  return descriptor;
}

}  // namespace

EventBuffer::EventBuffer(std::filesystem::path file, std::size_t portion, EventWriter& writer)
    : path_(std::move(file)), file_(made(path_), path_.native()), writer_(writer) {
  for (auto& events : portions_) events.resize(portion);
  at_.store(portions_[0].data());
  end_ = portions_[0].data() + portion;
}

// Whoever holds the lock writes: the thread waits for the writer only while that is writing, and
// does its work if it has not come to it yet.
void EventBuffer::change_portions() noexcept {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || full_) {
    const std::uint64_t begin = TickClock::now();
    if (!lock.owns_lock()) lock.lock();
    if (full_) {
      const FileLimitGuard guard;
      write_full_one_locked();
    }
    ++waits_.count;
    waits_.ticks += TickClock::now() - begin;
  }
  full_ = true;
  filled_ = 1 - filled_;
  at_.store(portions_[filled_].data(), std::memory_order_release);
  end_ = portions_[filled_].data() + portions_[filled_].size();
  lock.unlock();
  try {
    writer_.wake_for(*this);
  } catch (...) {  // then this thread writes it
  }
}

void EventBuffer::write_full_one() noexcept {
  const std::lock_guard lock(mutex_);
  write_full_one_locked();
}

void EventBuffer::write_full_one_locked() noexcept {
  if (!full_) return;
  const std::size_t other = 1 - filled_;
  write(other, portions_[other].data() + portions_[other].size());
  saved_[other] = 0;
  full_ = false;
}

void EventBuffer::write(std::size_t portion, const Event* end) noexcept {
  const Event* const begin = portions_[portion].data() + saved_[portion];
  written_ += writer_.write(file_, {begin, end});
  saved_[portion] += static_cast<std::size_t>(end - begin);
}

void EventBuffer::save() noexcept {
  const std::lock_guard lock(mutex_);
  write_full_one_locked();
  write(filled_, at_.load(std::memory_order_acquire));
}

std::uint64_t EventBuffer::written() const {
  const std::lock_guard lock(mutex_);
  return written_;
}

EventBuffer::Waits EventBuffer::waits() const {
  const std::lock_guard lock(mutex_);
  return waits_;
}

}  // namespace huddle::recorder
