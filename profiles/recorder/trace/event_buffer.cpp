#include "profiles/recorder/trace/event_buffer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "profiles/recorder/process/clocks.hpp"
#include "profiles/recorder/process/signals.hpp"
#include "profiles/recorder/trace/raw_trace_folder.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {

EventWriter::EventWriter(std::uint64_t limit_bytes) : limit_(limit_bytes) {
  const NoSignals no_signals;
  try {
    thread_ = std::thread([this] { run(); });
    pthread_setname_np(thread_.native_handle(), "huddle trace");
  } catch (const std::system_error&) {  // then they write themselves
  }
}

EventWriter::~EventWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void EventWriter::wake_for(EventBuffer& buffer) {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(&buffer);
  }
  wake_.notify_one();
}

void EventWriter::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    EventBuffer& buffer = *waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    buffer.write_full_one();
    lock.lock();
  }
}

bool EventWriter::write(const files::OpenFile& file, std::span<const std::uint8_t> bytes) noexcept {
  if (ended()) return false;
  try {
    if (written_.fetch_add(bytes.size()) + bytes.size() > limit_) {
      end(fmt::format("the limit of {} MiB for each rank is reached", limit_ >> 20U));
      return false;
    }
    file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});  // NOLINT: as they are
    return true;
  } catch (const std::exception& failure) {
    end(failure.what());
    return false;
  }
}

void EventWriter::end(const std::string& reason) noexcept {
  const std::lock_guard lock(mutex_);
  if (ended_.load()) return;
  try {
    why_ended_ = reason;
  } catch (...) {  // it has ended all the same
  }
  ended_.store(true, std::memory_order_release);
}

std::string EventWriter::why_ended() const {
  const std::lock_guard lock(mutex_);
  return why_ended_;
}

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
