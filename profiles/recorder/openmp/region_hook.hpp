#pragma once

#include <atomic>
#include <cstdint>

namespace huddle::recorder {

/// The questions that a runtime of OpenMP answers to the calling thread (OpenMP 5.1, chapter 3.2):
/// functions of the runtime whose entry was called, as a process may have several.
struct OpenMpRuntime {
  int (*level)() = nullptr;          ///< omp_get_level
  int (*thread_number)() = nullptr;  ///< omp_get_thread_num
  int (*team_size)() = nullptr;      ///< omp_get_num_threads
  int (*most_threads)() = nullptr;   ///< omp_get_max_threads
  int (*dynamic)() = nullptr;        ///< omp_get_dynamic
  bool is_llvm = false;              ///< LLVM's or Intel's; else libgomp
};

/// A parallel region that begins, as its program asks for it.
struct RegionBegin {
  /// The key of a region: the address of its outlined function, or, of LLVM's runtime, the
  /// one that the call into the runtime returns to.
  std::uintptr_t place = 0;
  /// The value of the clause num_threads; 0 if there is none, 1 also where an if clause is false.
  unsigned asked_threads = 0;
  /// Never null.
  const OpenMpRuntime* runtime = nullptr;
  /// Set by the hook, if how long the region takes is to be measured: when that was, in TickClock's
  /// ticks. Else the pass may not be timed, and `ended` is not called.
  std::uint64_t now = 0;
};

/// Acts on the regions of programs: the one place where the threads of teams can be reached. Only
/// outermost regions that are not teams constructs call it. Functions must not throw;
/// `begins` and `in_thread` must be there, `ended` may be null.
struct RegionHook {
  /// Called by the thread that begins the region, before there is a team. The result is handed to
  /// the other two.
  std::uint64_t (*begins)(RegionBegin& region) = nullptr;
  /// Called by each thread of the team, before the region's function; `thread`: its number in the
  /// team.
  void (*in_thread)(std::uint64_t token, std::uint32_t thread) = nullptr;
  /// Called by the thread that began the region, when the team has ended, at `now`. `ticks`: how
  /// long it took.
  void (*ended)(std::uint64_t token, std::uint32_t team, std::uint64_t ticks,
                std::uint64_t now) = nullptr;
  /// Called by the thread that begins the region, behind `begins`: how many threads to ask the
  /// runtime for; 0: as its program does. May be null. To be used only where the user allows it,
  /// and of libgomp only.
  unsigned (*threads)(std::uint64_t token) = nullptr;
};

/// Null, as long as nobody acts. Set it while recording only; what it points to is never to be
/// destroyed, as regions may be under way.
inline constinit std::atomic<const RegionHook*> region_hook{nullptr};

}  // namespace huddle::recorder
