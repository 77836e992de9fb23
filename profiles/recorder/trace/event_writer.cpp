#include "profiles/recorder/trace/event_writer.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <string_view>
#include <system_error>

#include "profiles/recorder/trace/event_buffer.hpp"
#include "profiles/recorder/process/no_signals.hpp"
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

bool EventWriter::write(const OpenFile& file, std::span<const std::uint8_t> bytes) noexcept {
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

}  // namespace huddle::recorder
