#pragma once

// The work of the calling thread where a parallel region begins and ends, however that is seen.
// Inline, as it runs at each region.

#include <cstdint>

#include "profiles/recorder/process/clocks.hpp"
#include "profiles/recorder/region_watch.hpp"
#include "profiles/recorder/watching_thread.hpp"

namespace huddle::recorder {

/// The regions of threads that reach no delimiter are handed over once in so many ticks, by which
/// no more than this much is missing if the run is cut short.
inline constexpr std::uint64_t kHandOver = 100'000'000;

/// True if the region that the thread begins lies in no other. Then leave_untimed() or
/// leave_timed() is to follow.
inline bool enter_region(const OpenMpRuntime& runtime) noexcept {
  if (watching.depth != 0 || runtime.level() != 0) return false;
  ++watching.depth;
  return true;
}

/// A region begins, at `now` if that was looked at. Where it is short, its pass may not be timed,
/// unless it was, or that is to be `exact`.
inline PassUnderWay begin_pass(std::uintptr_t function, bool exact, std::uint64_t now) noexcept {
  PassUnderWay pass;
  if (watching.pending != nullptr) [[likely]] {
    pass.row = &watching.pending->row_of(function);
    if (!exact && now == 0 && pass.row->pace.is_short()) {
      pass.drawn = watching.draw.draws();
      pass.weight = pass.drawn ? watching.draw.weight() : 0;
      if (!pass.drawn) return pass;
    }
  }
  if (pass.row != nullptr && pass.row->work.draws()) [[unlikely]]
    pass.work = work_of_teams();
  if (pass.work != nullptr) [[unlikely]]
    pass.work->begin();
  if (watching.counters != nullptr && pass.row != nullptr && pass.row->counting.draws())
      [[unlikely]]
    begin_counting(pass);
  pass.began = now != 0 && !pass.counted ? now : TickClock::now();
  return pass;
}

/// In each thread of the team, inside of a pass in which their work is looked at.
[[gnu::cold]] inline void begin_work(TeamWork& team, std::uint32_t thread,
                                     int (*level)()) noexcept {
  watching.work = {&team, thread, level, TickClock::now(), 0, 0};
}

/// The thread comes to a barrier, which may be the end of the region.
[[gnu::cold]] inline void work_arrives() noexcept {
  WorkUnderWay& work = watching.work;
  work.arrived = TickClock::now();
  work.team->worked(work.thread, work.arrived - work.began - work.waited);
}

/// It goes on behind it.
[[gnu::cold]] inline void work_goes_on() noexcept {
  WorkUnderWay& work = watching.work;
  if (work.arrived != 0) work.waited += TickClock::now() - work.arrived;
  work.arrived = 0;
}

/// A region begins at `time` that is to be in the trace; null if it is not.
[[gnu::cold]] TeamTrace* begin_traced(RunTrace& whole, OpenMpPlace place, RuntimeCall call,
                                      std::uint64_t time) noexcept;
/// The calling thread is in such a one. `level`: as in WatchingThread.
[[gnu::cold]] void join_traced(TeamTrace& team, std::uint32_t thread, std::uint32_t size,
                               int (*level)()) noexcept;

/// Its row may have been cleared since it began.
inline PendingRegions::Row& row_of(const PassUnderWay& pass, std::uintptr_t function) noexcept {
  const bool is_there = pass.row != nullptr && pass.row->function == function;
  return is_there ? *pass.row : watching.pending->row_of(function);
}

/// The region has ended, and was not timed. When it did is still of interest if the next one is.
inline void leave_untimed(const PassUnderWay& pass, std::uintptr_t function,
                          std::uint32_t team) noexcept {
  --watching.depth;
  if (watched_regions.load(std::memory_order_relaxed) == nullptr || watching.pending == nullptr)
    return;
  PendingRegions::Row& row = row_of(pass, function);
  row.passes.add(team);
  if (watching.sequence != nullptr) watching.sequence->add({function, row.pace.typical()});
  if (watching.draw.draws_next()) [[unlikely]] {
    watching.last_end = TickClock::now();
    watching.in_mpi = ticks_in_mpi();
  } else {
    watching.last_end = 0;
  }
}

/// It has ended at `end`, and was timed.
inline void leave_timed(const PassUnderWay& pass, std::uintptr_t function, std::uint64_t end,
                        std::uint32_t team) noexcept {
  --watching.depth;
  if (watched_regions.load(std::memory_order_relaxed) == nullptr) return;
  const bool counted =
      pass.counted && watching.counters != nullptr;  // which a thread's end takes away
  if (counted) [[unlikely]]
    watching.counters->end_pass();  // before anything else that would count
  if (watching.pending == nullptr && !begin_thread(end)) return;
  PendingRegions::Row& row = row_of(pass, function);
  const std::uint64_t in_mpi = ticks_in_mpi();
  const std::uint64_t ticks = end - pass.began;
  std::uint64_t took = ticks;
  row.passes.add(took, team, pass.weight);
  if (watching.last_end != 0) {
    const std::uint64_t begin = counted ? pass.began - watching.counters->begin_cost() : pass.began;
    const std::uint64_t between = begin > watching.last_end ? begin - watching.last_end : 0;
    const std::uint64_t inside = in_mpi - watching.in_mpi;
    row.passes.add_serial(between > inside ? between - inside : 0, pass.weight);
    took += between;
  }
  row.pace.timed(took);
  row.work.saw(team);
  // As passes that are not timed have: their lengths are not known one by one.
  if (watching.sequence != nullptr)
    watching.sequence->add({function, row.pace.is_short() ? row.pace.typical() : ticks});
  if (pass.drawn) watching.draw.timed(took);
  watching.last_end = end;
  watching.in_mpi = in_mpi;
  if (pass.work != nullptr) [[unlikely]]
    end_work(pass, row, ticks, team);
  if (counted) [[unlikely]]
    end_counting(pass, row, ticks);
  if (end - watching.handed_over > kHandOver && !is_of_rank()) hand_over(end);
}

}  // namespace huddle::recorder
