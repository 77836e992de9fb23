#include "profiles/recorder/trace/event_buffer.hpp"

#include <fcntl.h>

#include <algorithm>
#include <span>
#include <utility>

#include "profiles/recorder/process/file_limit_guard.hpp"
#include "profiles/recorder/trace/raw_trace_folder.hpp"
#include "profiles/recorder/process/tick_clock.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

int made(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
                                0644);  // NOLINT: C's interface
  if (descriptor < 0) throw SystemError("make", path.native(), errno);
  lock_events(descriptor);
  return descriptor;
}

}  // namespace

EventBuffer::EventBuffer(std::filesystem::path file, std::size_t portion, EventWriter& writer)
    : path_(std::move(file)), file_(made(path_), path_.native()), writer_(writer) {
  for (auto& bytes : portions_) bytes.resize(std::max(portion, 2 * packing::kLargest));
  begin_portion(0);
}

void EventBuffer::begin_portion(std::size_t portion) noexcept {
  filled_ = portion;
  saved_[portion] = 0;
  at_.store(portions_[portion].data(), std::memory_order_release);
  last_ = portions_[portion].data() + portions_[portion].size() - packing::kLargest;
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
  full_size_ =
      static_cast<std::size_t>(at_.load(std::memory_order_relaxed) - portions_[filled_].data());
  begin_portion(1 - filled_);
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
  write(other, portions_[other].data() + full_size_);
  full_ = false;
}

void EventBuffer::write(std::size_t portion, const std::uint8_t* end) noexcept {
  const std::span<const std::uint8_t> bytes{portions_[portion].data() + saved_[portion], end};
  saved_[portion] += bytes.size();
  if (!bytes.empty() && writer_.write(file_, bytes)) written_ += bytes.size();
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
