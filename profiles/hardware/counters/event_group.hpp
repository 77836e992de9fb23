#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "profiles/hardware/counters/kernel.hpp"
#include "profiles/hardware/counters/reading.hpp"

namespace huddle::counters {

/// The ways in which the kernel lets this process count.
struct CountingMode {
  /// Not what the kernel does on its behalf: more is not permitted.
  bool user_only = false;
  /// The kernel can leave forked processes out (Linux 5.13).
  bool threads_only = true;
  /// One read for the whole group, though threads inherit it (Linux 4.13). Without, each member is
  /// read by itself.
  bool group_read = true;
};

/// Events of one PMU, for one thread, that are on counters at the same time or not at all, so that
/// rates between them are of one moment. Owns their descriptors. Reading is safe from several
/// threads at once.
class EventGroup {
 public:
  /// As many as the PMUs of common processors can count at once, with a counter to spare for the
  /// watchdog that many kernels run.
  static constexpr std::size_t kMost = 4;

  struct Member {
    /// Its place in a Reading.
    std::uint32_t place = 0;
    EventCode code;
    int descriptor = -1;
    /// The kernel's own number for it.
    std::uint64_t id = 0;
  };

  /// Empty, for the thread `thread`; 0 is the calling one.
  EventGroup(const KernelCalls& calls, const CountingMode& mode, pid_t thread)
      : calls_(calls), mode_(mode), thread_(thread) {}
  ~EventGroup();
  EventGroup(EventGroup&& other) noexcept;
  EventGroup& operator=(EventGroup&& other) noexcept;
  EventGroup(const EventGroup&) = delete;
  EventGroup& operator=(const EventGroup&) = delete;

  /// Opens one more event. Returns 0 or the errno value that the kernel refused it with, EINVAL
  /// also if the group has no place left; the group is then as before.
  int add(std::uint32_t place, const EventCode& code) noexcept;

  [[nodiscard]] std::span<const Member> members() const { return {members_.data(), size_}; }
  /// Gives the members other places in a Reading: member i gets `places[member.place]`.
  void move_to(std::span<const std::uint32_t> places) noexcept;

  /// Adds its counts to those in `reading`, or marks them as lost. A descriptor that the program
  /// has closed, and maybe used for a file of its own, is not touched.
  void read(Reading& reading) const noexcept;

 private:
  [[nodiscard]] bool is_open(const Member& member) const noexcept;
  [[nodiscard]] bool read_at_once(Reading& reading) const noexcept;
  void read_one_by_one(Reading& reading) const noexcept;
  void close() noexcept;

  KernelCalls calls_;
  CountingMode mode_;
  pid_t thread_;
  std::array<Member, kMost> members_{};
  std::size_t size_ = 0;
};

}  // namespace huddle::counters
