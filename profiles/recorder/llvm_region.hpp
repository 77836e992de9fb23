#pragma once

// Parallel regions as LLVM's and Intel's runtimes of OpenMP are called for them.

#include <cstdint>

#include "profiles/recorder/openmp/runtime_entries.hpp"
#include "profiles/recorder/region_passes.hpp"
#include "profiles/recorder/region_watch.hpp"

namespace huddle::recorder {

/// A region's function as these runtimes call it, and behind the two numbers any number of
/// pointers: that of the thread in the process, and in the team.
using Microtask = void (*)(std::int32_t* global_number, std::int32_t* team_number, ...);

/// As enter_region(). These runtimes take long to say at which level a thread is, so one that was
/// outside of regions is not asked again: it sees all that it begins. Workers are asked each time,
/// for those of a league are at level 0, too.
inline bool enter_llvm_region(const OpenMpRuntime& runtime) noexcept {
  if (watching.depth != 0) return false;
  if (watching.outside_of != runtime.level) [[unlikely]] {
    if (runtime.level() != 0) return false;
    if (!watching.is_worker) watching.outside_of = runtime.level;
  }
  ++watching.depth;
  return true;
}

/// Returns `run` in the type that the runtime calls it as.
template <class Fork>
Microtask microtask_of(void (*run)(std::int32_t*, std::int32_t*, Fork*)) {
  return reinterpret_cast<Microtask>(run);  // NOLINT: with one argument
}

/// The microtask and its arguments as the program hands them to the runtime.
struct ProgramsMicrotask {
  /// `arguments` has room for so many pointers at least, all of which can be read.
  static constexpr std::int32_t kLeastRoom = 6;

  Microtask function;
  void* const* arguments;
  std::int32_t count;

  void call(std::int32_t* global_number, std::int32_t* team_number) const;
};

/// A region that the calling thread begins, for one call of the runtime, while nothing is to be
/// known of it but how often it comes, how long it takes and how long its threads work. The runtime
/// gets microtask() and a pointer to this, in place of the program's microtask and all of its
/// arguments. Regions inside of others are not counted, but their threads know that they are in
/// one. Lives on the stack of the thread that begins the region.
class CountedFork {
 public:
  CountedFork(const OpenMpRuntime& runtime, const ProgramsMicrotask& program, RuntimeCall call,
              WatchedRegion::Kind kind) noexcept;
  ~CountedFork();
  CountedFork(const CountedFork&) = delete;
  CountedFork& operator=(const CountedFork&) = delete;

  [[nodiscard]] Microtask microtask() const;

 private:
  static void run(std::int32_t* global_number, std::int32_t* team_number, CountedFork* region);
  static void run_inner(std::int32_t* global_number, std::int32_t* team_number,
                        CountedFork* region);
  void run_observed(std::int32_t* global_number, std::int32_t* team_number) const;

  const ProgramsMicrotask& program_;
  const OpenMpRuntime& runtime_;
  const void* beginner_;
  std::uintptr_t place_;
  PassUnderWay pass_;
  std::uint32_t team_ = 1;
  bool outermost_;
  bool is_league_;
};

// These three are inline, as empty regions take no longer than some calls.
[[gnu::always_inline]] inline CountedFork::CountedFork(const OpenMpRuntime& runtime,
                                                       const ProgramsMicrotask& program,
                                                       RuntimeCall call,
                                                       WatchedRegion::Kind kind) noexcept
    : program_(program),
      runtime_(runtime),
      beginner_(&watching),
      place_(reinterpret_cast<std::uintptr_t>(call.return_address)),
      outermost_(enter_llvm_region(runtime)),
      is_league_(kind == WatchedRegion::Kind::kTeams) {
  if (!outermost_) return;
  pass_ = begin_pass(place_, false, 0);
  if (is_league_) pass_.work = nullptr;
  watching.is_alone = false;
}

[[gnu::always_inline]] inline Microtask CountedFork::microtask() const {
  return microtask_of(outermost_ ? run : run_inner);
}

[[gnu::always_inline]] inline CountedFork::~CountedFork() {
  if (!outermost_) return;
  if (pass_.weight == 0)
    leave_untimed(pass_, place_, team_);
  else
    leave_timed(pass_, place_, TickClock::now(), team_);
}

/// Likewise while regions are traced or acted on.
class WatchedFork {
 public:
  WatchedFork(const OpenMpRuntime& runtime, const ProgramsMicrotask& program, RuntimeCall call,
              WatchedRegion::Kind kind) noexcept;

  [[nodiscard]] Microtask microtask() const;

 private:
  static void run(std::int32_t* global_number, std::int32_t* team_number, WatchedFork* region);
  static void run_inner(std::int32_t* global_number, std::int32_t* team_number,
                        WatchedFork* region);
  static void run_program(void* region);

  const ProgramsMicrotask& program_;
  const void* beginner_;
  bool is_league_;
  WatchedRegion region_;
};

/// A region that the program goes through in the calling thread alone, between two calls of the
/// runtime. begins() before the first, ended() behind the second if is_under_way(). Runtimes call
/// both themselves, too, for the teams of one thread that they fork.
struct SerializedRegion {
  static void begins(const FoundEntry& entry, RuntimeCall call) noexcept {
    watching.is_alone = true;
    watching.asked_threads = 0;
    // In a league the runtime does so in threads that have not come to the program's code yet.
    if (watching.depth == 0 && !entry.is_in_library(call.return_address))
      begins_outermost(entry.runtime, call);
  }
  /// An outermost one, which is counted.
  static bool is_under_way() noexcept { return watching.is_serialized; }
  static void ended(const OpenMpRuntime& runtime) noexcept;

 private:
  static void begins_outermost(const OpenMpRuntime& runtime, RuntimeCall call) noexcept;
};

}  // namespace huddle::recorder
