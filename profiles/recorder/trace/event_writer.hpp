#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "profiles/files/open_file.hpp"

namespace huddle::recorder {

class EventBuffer;

/// Writes what the threads of a process record, by a thread of its own that takes no signals, so
/// that the program goes on meanwhile. Safe from any thread.
class EventWriter {
 public:
  /// At most `limit_bytes` go into all files together. If no thread can be had, who records writes
  /// by itself: ranks must not part here, they go on to compare clocks together.
  explicit EventWriter(std::uint64_t limit_bytes);
  ~EventWriter();
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  /// A buffer of `buffer` waits to be written. Does nothing if there is no thread for it.
  void wake_for(EventBuffer& buffer);

  /// Appends to `file` all of it or, so that no event is cut, nothing that counts: once that has
  /// failed, or the limit would be passed, nothing is written any more. Returns whether it was.
  bool write(const OpenFile& file, std::span<const std::uint8_t> bytes) noexcept;

  /// Nothing more is written, for `reason`. The first one counts.
  void end(const std::string& reason) noexcept;
  [[nodiscard]] bool ended() const { return ended_.load(std::memory_order_acquire); }
  /// Why, a phrase such as "the limit of 4096 MiB is reached"; empty if it has not ended.
  [[nodiscard]] std::string why_ended() const;

 private:
  void run();

  std::uint64_t limit_;
  std::atomic<std::uint64_t> written_{0};
  std::atomic<bool> ended_{false};
  mutable std::mutex mutex_;  // of what follows
  std::string why_ended_;
  std::condition_variable wake_;
  std::deque<EventBuffer*> waiting_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace huddle::recorder
