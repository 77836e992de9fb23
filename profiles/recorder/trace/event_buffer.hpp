#pragma once

// The buffers that threads record events in, and the thread that writes them to files.

#include <array>
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
#include "profiles/recorder/trace/event_file.hpp"
#include "profiles/traces/event.hpp"

namespace huddle::recorder {

class EventBuffer;

/// Writes what the threads of a process record, by a thread of its own that takes no signals, so
/// that the program goes on meanwhile. Safe from any thread.
class EventWriter {
 public:
  /// At most `limit_bytes` go into all files together. If no thread can be started, the recording
  /// threads write themselves. The ranks compare clocks together next, so this must not throw on
  /// one.
  explicit EventWriter(std::uint64_t limit_bytes);
  ~EventWriter();
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  /// Has a full portion of `buffer` written. Does nothing if there is no thread for it.
  void wake_for(EventBuffer& buffer);

  /// Appends to `file` all of it or, so that no event is cut, nothing that counts: once that has
  /// failed, or the limit would be passed, nothing is written any more. Returns whether it was.
  bool write(const files::OpenFile& file, std::span<const std::uint8_t> bytes) noexcept;

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

/// The events of one thread on their way to its file: memory for two portions, of which one is
/// filled while the writer empties the other. Only if the thread has filled both does it wait, or
/// write itself. One thread appends; all other members are safe from any thread.
class EventBuffer {
 public:
  /// Makes `file`, in place of an older one. `portion`: bytes, some KiB at least. Throws
  /// SystemError and std::bad_alloc.
  EventBuffer(std::filesystem::path file, std::size_t portion, EventWriter& writer);

  [[gnu::always_inline]] void append(const traces::Event& event) noexcept {
    std::uint8_t* const at = packer_.pack(event, at_.load(std::memory_order_relaxed));
    at_.store(at, std::memory_order_release);
    if (at > last_) [[unlikely]]
      change_portions();
  }

  /// Writes the portion that was full first, if it waits still.
  void write_full_one() noexcept;
  /// Writes all that was appended so far. For others than the appending thread, as long as that
  /// may still append.
  void save() noexcept;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Bytes of whole events in the file.
  [[nodiscard]] std::uint64_t written() const;

  struct Waits {
    std::uint64_t count = 0;
    std::uint64_t ticks = 0;
  };
  /// Returns how often, and how long, the thread had to wait for its own events to be written.
  [[nodiscard]] Waits waits() const;

 private:
  [[gnu::cold, gnu::noinline]] void change_portions() noexcept;
  void begin_portion(std::size_t portion) noexcept;
  void write(std::size_t portion, const std::uint8_t* end) noexcept;  // these under mutex_
  void write_full_one_locked() noexcept;

  std::filesystem::path path_;
  files::OpenFile file_;
  EventWriter& writer_;
  EventPacker packer_;
  std::atomic<std::uint8_t*> at_;
  std::uint8_t* last_ = nullptr;  // where in the portion that is filled an event may begin
  mutable std::mutex mutex_;      // of what follows
  std::array<std::vector<std::uint8_t>, 2> portions_;
  std::size_t filled_ = 0;  // which one
  bool full_ = false;       // the other waits to be written
  std::size_t full_size_ = 0;
  // Bytes of each portion that are in the file already.
  std::array<std::size_t, 2> saved_{};
  std::uint64_t written_ = 0;
  Waits waits_;
};

}  // namespace huddle::recorder
