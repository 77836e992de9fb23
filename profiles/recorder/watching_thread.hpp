#pragma once

// State of a program's threads in the parallel regions that they begin or are in.

#include <cstdint>

#include "profiles/recorder/openmp/region_counters.hpp"
#include "profiles/recorder/openmp/region_records.hpp"
#include "profiles/recorder/openmp/team_work.hpp"
#include "profiles/recorder/profile/pass_periods.hpp"
#include "profiles/recorder/region_watch.hpp"
#include "profiles/recorder/tracing/team_trace.hpp"

namespace huddle::recorder {

/// The work of a thread in a pass of a region in which that is looked at.
struct WorkUnderWay {
  TeamWork* team = nullptr;  // null: it is in no such pass
  std::uint32_t thread = 0;
  int (*level)() = nullptr;  // as in WatchingThread
  std::uint64_t began = 0;
  std::uint64_t waited = 0;   // at barriers
  std::uint64_t arrived = 0;  // at one, where it is still
};

/// State of the calling thread's regions. A plain object, so that looking at it costs nothing.
struct WatchingThread {
  std::uint32_t depth = 0;
  PendingRegions* pending = nullptr;
  PassDraw draw;
  std::uint64_t last_end = 0;  // of a region, or where a delimiter began; 0: not known
  std::uint64_t in_mpi = 0;    // until then, in ticks
  std::uint64_t handed_over = 0;
  // The teams of its own regions, in the trace.
  TeamTrace* teams = nullptr;
  // The traced team that it is in: as which thread, and of which runtime.
  TeamTrace* team = nullptr;
  std::uint32_t thread = 0;
  int (*level)() = nullptr;
  // The place where threads of its own regions leave their work, once one is looked at.
  TeamWork* teams_work = nullptr;
  // The thread's own work in a region, another's or its own.
  WorkUnderWay work;
  // The sequence of its regions, of the rank's first thread only; and how much of what was found
  // there the rank's records have.
  PassPeriods* sequence = nullptr;
  std::uint64_t known_passes = 0;
  // Only in the rank's first thread, if something is counted.
  RegionCounters* counters = nullptr;
  // In a barrier: what the runtime calls there is a part of it.
  bool at_barrier = false;
  // LLVM's runtime: in which one it was outside of regions, for good unless it has been a
  // worker; that the team that it begins has no other thread; how many threads its next region is
  // to have, if its program said so and somebody acts on regions; an outermost region that it goes
  // through alone, if there is one; and by what the function of the region that it is in was
  // called.
  int (*outside_of)() = nullptr;
  bool is_worker = false;
  bool is_alone = false;
  std::uint32_t asked_threads = 0;
  bool is_serialized = false;
  int (*serialized_in)() = nullptr;
  std::uintptr_t serialized_place = 0;
  PassUnderWay serialized_pass;
  TeamTrace* serialized_trace = nullptr;
  std::int32_t* global_number = nullptr;
  std::int32_t* team_number = nullptr;
};
extern constinit thread_local WatchingThread watching;

/// The time that the calling thread has been in MPI.
std::uint64_t ticks_in_mpi() noexcept;
/// True if the calling thread is the rank's first.
bool is_of_rank() noexcept;
/// The calling thread's first region has ended. False if there is no memory.
[[gnu::cold]] bool begin_thread(std::uint64_t now) noexcept;
/// For threads that reach no delimiter.
[[gnu::cold]] void hand_over(std::uint64_t now) noexcept;
/// The calling thread's place for the work of its teams; null if there is no memory.
[[gnu::cold]] TeamWork* work_of_teams() noexcept;
/// The pass that was added last to `row` took `ticks`, and its threads' work was looked at.
[[gnu::cold]] void end_work(const PassUnderWay& pass, PendingRegions::Row& row, std::uint64_t ticks,
                            std::uint32_t team) noexcept;
/// A pass was drawn that is about to begin: the counters are read for it.
[[gnu::cold]] void begin_counting(PassUnderWay& pass) noexcept;
/// The pass that was added last to `row` took `ticks`, and the counters were read at both ends.
[[gnu::cold]] void end_counting(const PassUnderWay& pass, PendingRegions::Row& row,
                                std::uint64_t ticks) noexcept;

}  // namespace huddle::recorder
