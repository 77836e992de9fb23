#pragma once

// How a thread watches the parallel regions of OpenMP that it begins.

#include <atomic>
#include <cstdint>

#include "profiles/recorder/openmp/region_hook.hpp"
#include "profiles/recorder/openmp/region_records.hpp"

namespace huddle::recorder {

/// Null except while recording. The wrappers of OpenMP's entries look here first, and do nothing
/// more if it is null. What it points to is never destroyed.
extern constinit std::atomic<RegionRecords*> watched_regions;

/// Regions that the calling thread has begun since it last called this belong to `group`. To be
/// called where a delimiter begins, at `now`, in ticks. Throws std::bad_alloc.
void attribute_regions(std::uint64_t group, std::uint64_t now);

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
                unsigned asked_threads, Kind kind = Kind::kRegion) noexcept;
  ~WatchedRegion();
  WatchedRegion(const WatchedRegion&) = delete;
  WatchedRegion& operator=(const WatchedRegion&) = delete;

  [[nodiscard]] Function function() const { return outermost_ ? run : function_; }
  [[nodiscard]] void* data() { return outermost_ ? this : data_; }

 private:
  static void run(void* region);

  void* reductions_ = nullptr;  // the first member: see Kind::kReductions
  Function function_;
  void* data_;
  const OpenMpRuntime& runtime_;
  const RegionHook* hook_ = nullptr;
  std::uint64_t token_ = 0;
  std::uint64_t began_ = 0;
  const void* beginner_ = nullptr;
  std::uint32_t team_ = 1;
  bool outermost_ = false;
};

/// A region of a runtime that reports by OpenMP's interface for tools. Its place is the address
/// that the call into the runtime returns to. No hook is called for it.
struct ReportedRegion {
  /// By the thread that begins a region: what the others are to be given. Never null. `place` may
  /// be, where the runtime does not know it.
  static void* begins(const void* place) noexcept;
  /// By the same thread, inside.
  static void has_team(void* region, std::uint32_t team) noexcept;
  /// By the other threads of any team or league: in between they begin no outermost regions.
  static void member_begins() noexcept;
  static void member_ends() noexcept;
  /// By the thread that began it. Does nothing if `region` is null: then it was not reported.
  static void ends(void* region) noexcept;
};

/// The same for the pairs of calls that GCC 4.8 and older made, between which the program calls the
/// region's function by itself. begin() before the first call, has_team() behind it, end() behind
/// the second call. end() without begin() does nothing.
struct RegionPair {
  static void begin(const OpenMpRuntime& runtime, WatchedRegion::Function function) noexcept;
  static void has_team(const OpenMpRuntime& runtime) noexcept;
  static void end() noexcept;
};

}  // namespace huddle::recorder
