#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <vector>

#include "profiles/recorder/trace/event_packing.hpp"
#include "profiles/recorder/trace/event_writer.hpp"
#include "profiles/files/open_file.hpp"
#include "profiles/traces/event.hpp"

namespace huddle::recorder {

/// The events of one thread on their way to its file: memory for two portions, of which one is
/// filled while the writer empties the other. Only if the thread has filled both does it wait, or
/// write itself. One thread appends; all other members are safe from any thread.
class EventBuffer {
 public:
  /// Makes `file`, in place of an older one. `portion`: bytes, some KiB at least. Throws
  /// SystemError and std::bad_alloc.
  EventBuffer(std::filesystem::path file, std::size_t portion, EventWriter& writer);

  [[gnu::always_inline]] void append(const Event& event) noexcept {
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
  /// How often the thread had to wait for its own events to be written.
  [[nodiscard]] Waits waits() const;

 private:
  [[gnu::cold, gnu::noinline]] void change_portions() noexcept;
  void begin_portion(std::size_t portion) noexcept;
  void write(std::size_t portion, const std::uint8_t* end) noexcept;  // these under mutex_
  void write_full_one_locked() noexcept;

  std::filesystem::path path_;
  OpenFile file_;
  EventWriter& writer_;
  EventPacker packer_;
  std::atomic<std::uint8_t*> at_;
  std::uint8_t* last_ = nullptr;  // where in the portion that is filled an event may begin
  mutable std::mutex mutex_;      // of what follows
  std::array<std::vector<std::uint8_t>, 2> portions_;
  std::size_t filled_ = 0;  // which one
  bool full_ = false;       // the other waits to be written
  std::size_t full_size_ = 0;
  // How many bytes of each portion are in the file already.
  std::array<std::size_t, 2> saved_{};
  std::uint64_t written_ = 0;
  Waits waits_;
};

}  // namespace huddle::recorder
