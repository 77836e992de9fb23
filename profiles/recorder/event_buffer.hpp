#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <vector>

#include "profiles/recorder/event_writer.hpp"
#include "profiles/store/open_file.hpp"
#include "profiles/traces/event.hpp"

namespace huddle::recorder {

/// The events of one thread on their way to its file: memory for two portions, of which one is
/// filled while the writer empties the other. Only if the thread has filled both does it wait, or
/// write itself. One thread appends; all other members are safe from any thread.
class EventBuffer {
 public:
  /// Makes `file`, in place of an older one. `portion`: events, at least 1. Throws SystemError and
  /// std::bad_alloc.
  EventBuffer(std::filesystem::path file, std::size_t portion, EventWriter& writer);

  [[gnu::always_inline]] void append(const Event& event) noexcept {
    Event* const at = at_.load(std::memory_order_relaxed);
    *at = event;
    at_.store(at + 1, std::memory_order_release);
    if (at + 1 == end_) [[unlikely]]
      change_portions();
  }

  /// Writes the portion that was full first, if it waits still.
  void write_full_one() noexcept;
  /// Writes all that was appended so far. For others than the appending thread, as long as that
  /// may still append.
  void save() noexcept;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Events in the file.
  [[nodiscard]] std::uint64_t written() const;

  struct Waits {
    std::uint64_t count = 0;
    std::uint64_t ticks = 0;
  };
  /// How often the thread had to wait for its own events to be written.
  [[nodiscard]] Waits waits() const;

 private:
  [[gnu::cold, gnu::noinline]] void change_portions() noexcept;
  void write(std::size_t portion, const Event* end) noexcept;  // these two under mutex_
  void write_full_one_locked() noexcept;

  std::filesystem::path path_;
  OpenFile file_;
  EventWriter& writer_;
  std::atomic<Event*> at_;
  Event* end_;                // of the portion that is filled
  mutable std::mutex mutex_;  // of what follows
  std::array<std::vector<Event>, 2> portions_;
  std::size_t filled_ = 0;  // which one
  bool full_ = false;       // the other waits to be written
  // How many events of the portion that is filled, or of the full one, are in the file already.
  std::array<std::size_t, 2> saved_{};
  std::uint64_t written_ = 0;
  Waits waits_;
};

}  // namespace huddle::recorder
