#pragma once

// The events of the teams of OpenMP that one thread begins, in a trace.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiles/recorder/tracing/openmp_tables.hpp"
#include "profiles/recorder/tracing/thread_trace.hpp"

namespace huddle::recorder {

/// The events of the outermost regions that one thread begins, and of the threads of their teams.
/// Thread 0 of a team is the one that begins it and records in its own location; any other number
/// has a location of its own here, whichever thread of the system it is this time. So a team is
/// known by its size.
///
/// For a pass of a region the beginner calls begins(); each thread of the team joins(), and then
/// arrives() where its work ends; then the beginner calls ends(), which also writes what the other
/// threads were waiting for: the runtime orders all of this. Only threads of the team call
/// the others. What memory is missing for is not recorded, and the trace says so.
class TeamTrace {
 public:
  /// Larger teams leave the region in their beginner's location only.
  static constexpr std::uint32_t kMostThreads = 512;
  /// Makes a location; null if there can be none.
  using NewThread = std::function<ThreadTrace*()>;

  TeamTrace(ThreadTrace& beginner, NewThread new_thread);

  /// Returns whether the pass is recorded: it is not once the trace has ended. The call into the
  /// runtime was made from there.
  bool begins(OpenMpPlace place, const void* return_address, const void* frame,
              std::uint64_t time) noexcept;
  void joins(std::uint32_t thread, std::uint32_t team, std::uint64_t time) noexcept;
  /// An implicit barrier: of the region, or of a construct in it.
  void arrives(std::uint32_t thread, std::uint64_t time) noexcept;
  void arrives_at(std::uint32_t thread, OpenMpPlace barrier, std::uint64_t time) noexcept;
  /// The barrier that the thread arrived at, unless the team has ended since then.
  void goes_on(std::uint32_t thread, std::uint64_t time) noexcept;
  void ends(std::uint64_t time) noexcept;

  /// Adds the teams to `teams`, at their numbers. Safe from any thread.
  void describe(std::vector<std::vector<std::uint32_t>>& teams) const;

 private:
  struct alignas(64) Member {
    std::atomic<ThreadTrace*> trace{nullptr};
    std::uint64_t last = 0;  // time of its last event here
    bool inside = false;     // the region
    bool waiting = false;    // in a barrier
    std::uint32_t team = 0;  // its number; of one thread there is none
    // The barriers that it was in last, by a hash of their places.
    std::array<std::pair<std::uintptr_t, std::uint32_t>, 8> barriers{};
  };
  struct Numbers {
    std::uint32_t region = 0;
    std::uint32_t barrier = 0;
  };

  [[nodiscard]] Member& member(std::uint32_t thread) const { return (*members_)[thread]; }
  ThreadTrace* trace_of(std::uint32_t thread) noexcept;
  std::uint32_t team_of(std::uint32_t size) noexcept;
  const Numbers& numbers_of(OpenMpPlace place);
  void add(Member& member, traces::EventKind kind, std::uint32_t subject,
           std::uint64_t time) noexcept;
  void enter_barrier(std::uint32_t thread, std::uint32_t region, std::uint64_t time) noexcept;
  void leave_all(std::uint32_t thread, std::uint64_t time) noexcept;

  ThreadTrace& beginner_;
  NewThread new_thread_;
  std::unique_ptr<std::array<Member, kMostThreads>> members_;
  // The pass under way, kept by the beginner.
  std::uint32_t size_ = 1;
  Numbers current_;
  std::uintptr_t current_place_ = 0;
  std::unordered_map<std::uintptr_t, Numbers> known_;
  std::mutex mutex_;  // of new teams
  // One more than the team's number, by its size.
  std::array<std::atomic<std::uint32_t>, kMostThreads + 1> teams_{};
};

}  // namespace huddle::recorder
