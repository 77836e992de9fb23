#pragma once

// The watch of a thread over the parallel regions of OpenMP that it begins.

#include <atomic>
#include <cstdint>

#include "profiles/recorder/openmp/region_hook.hpp"
#include "profiles/recorder/openmp/region_records.hpp"
#include "profiles/recorder/tracing/team_trace.hpp"

namespace huddle::recorder {

/// Null except while recording. The wrappers of OpenMP's entries look here first, and do nothing
/// more if it is null. What it points to is never destroyed.
extern constinit std::atomic<RegionRecords*> watched_regions;

class RunTrace;

/// Null except while a trace is recorded: then regions are in it. What it points to is never
/// destroyed.
extern constinit std::atomic<RunTrace*> traced_regions;

/// Regions that the calling thread has begun since it last called this belong to `group`. To be
/// called where a delimiter begins, at `now`, in ticks. Throws std::bad_alloc.
void attribute_regions(std::uint64_t group, std::uint64_t now);

/// The rank's first thread, which calls this, begins no more regions: its sequence of them is
/// looked at for the last time. Throws std::bad_alloc.
void end_region_sequence();

/// A pass of a region that the calling thread goes through.
struct PassUnderWay {
  PendingRegions::Row* row = nullptr;  // null where the thread has none yet
  std::uint64_t began = 0;             // only if it is timed
  std::uint32_t weight = 1;            // how many passes it stands for; 0: it is not timed
  bool drawn = false;
  bool counted = false;      // the counters were read, before it began
  TeamWork* work = nullptr;  // where its threads leave what they did, if that is looked at
};

/// A call into the runtime of OpenMP: where it returns to, and the frame of the function that was
/// called.
struct RuntimeCall {
  const void* return_address = nullptr;
  const void* frame = nullptr;
};

/// A region that the calling thread begins, for one call of the runtime: it hands function() and
/// data() to it, in place of the program's. Lives on the stack of the thread that begins the
/// region.
class WatchedRegion {
 public:
  using Function = void (*)(void*);
  enum class Kind : std::uint8_t {
    kRegion,
    kReductions,  ///< its runtime reads the first pointer that `data` points to
    kTeams,       ///< a league of teams on the host: no hook
  };

  WatchedRegion(const OpenMpRuntime& runtime, Function outlined, void* argument,
                unsigned asked_threads, RuntimeCall call, Kind kind, OpenMpPlace place) noexcept;
  ~WatchedRegion();
  WatchedRegion(const WatchedRegion&) = delete;
  WatchedRegion& operator=(const WatchedRegion&) = delete;

  /// True if it lies in no other; else it is not counted.
  [[nodiscard]] bool is_outermost() const { return outermost_; }
  [[nodiscard]] Function function() const { return outermost_ ? run : function_; }
  [[nodiscard]] void* data() { return outermost_ ? this : data_; }
  /// The number of threads to ask the runtime for where its program asks for `asked`.
  [[nodiscard]] unsigned threads(unsigned asked) const {
    const bool may_differ = hook_ != nullptr && hook_->threads != nullptr;
    const unsigned other = may_differ ? hook_->threads(token_) : 0;
    return other == 0 ? asked : other;
  }
  /// Called by each thread of the team of an outermost region, which is `region`: calls its
  /// function.
  static void run(void* region);

 private:
  void run_function();
  void run_observed();
  void run_traced();

  void* reductions_ = nullptr;  // the first member: see Kind::kReductions
  Function function_;
  void* data_;
  const OpenMpRuntime& runtime_;
  std::uintptr_t place_;
  const RegionHook* hook_ = nullptr;
  std::uint64_t token_ = 0;
  PassUnderWay pass_;
  const void* beginner_ = nullptr;
  TeamTrace* trace_ = nullptr;
  std::uint32_t team_ = 1;
  bool outermost_ = false;
  bool is_of_hook_ = false;  // which wants to know how long it takes
  bool has_members_ = true;  // a league has teams
};

/// A barrier of a team's threads that a compiler calls: explicit, or at the end of a construct.
struct WatchedBarrier {
  /// True if the calling thread is in a team whose events are recorded, or whose threads' work is
  /// looked at, and in no inner one.
  static bool is_watched(const OpenMpRuntime& runtime) noexcept;
  /// Only if so. At address 0 it is one of the region's own, at the end of a construct in it.
  static void begins(OpenMpPlace place) noexcept;
  /// Behind begins(): the thread waited for something else.
  static void was_none() noexcept;
  static void ends() noexcept;
};

}  // namespace huddle::recorder
