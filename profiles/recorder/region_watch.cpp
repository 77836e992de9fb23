#include "profiles/recorder/region_watch.hpp"

#include "profiles/recorder/recorder.hpp"
#include "profiles/recorder/tracing/run_trace.hpp"
#include "profiles/recorder/watching_thread.hpp"

namespace huddle::recorder {

constinit std::atomic<RegionRecords*> watched_regions{nullptr};
constinit std::atomic<RunTrace*> traced_regions{nullptr};

namespace {

// Of threads that reach no delimiter, regions are handed over once in so many ticks, by which no
// more than this much is missing if the run is cut short.
constexpr std::uint64_t kHandOver = 100'000'000;

// Whether the region that the thread begins lies in no other.
bool enter(const OpenMpRuntime& runtime) noexcept {
  if (watching.depth != 0 || runtime.level() != 0) return false;
  ++watching.depth;
  return true;
}

// The teams of the calling thread. What MPI does itself is not recorded, such as an operation of
// the program's in a reduction.
[[gnu::cold]] TeamTrace* find_teams(RunTrace& whole) noexcept {
  if (here.ready == nullptr) {
    ThreadState* const state = enter_first_call();
    if (state == nullptr) return nullptr;
    leave_call(*state);
  }
  if (here.ready->trace == nullptr) return nullptr;
  return watching.teams = whole.teams_of(*here.ready->trace);
}

// Null if the region that begins is not in the trace.
[[gnu::cold]] TeamTrace* begin_traced(RunTrace& whole, OpenMpPlace place, RuntimeCall call,
                                      std::uint64_t time) noexcept {
  const bool in_mpi = here.state != nullptr && here.ready == nullptr;
  if (in_mpi) return nullptr;
  TeamTrace* const teams = watching.teams != nullptr ? watching.teams : find_teams(whole);
  const bool recorded =
      teams != nullptr && teams->begins(place, call.return_address, call.frame, time);
  return recorded ? teams : nullptr;
}

[[gnu::cold]] void join_traced(TeamTrace& team, std::uint32_t thread, std::uint32_t size,
                               const void* region) noexcept {
  watching.team = &team;
  watching.pass = team.pass();
  watching.thread = thread;
  watching.region = region;
  watching.level = nullptr;
  team.joins(thread, size, TickClock::now());
}

// A region begins, at `now` if that was looked at. Where it is short, its pass may not be timed,
// unless it was, or that is to be `exact`.
PassUnderWay begin_pass(std::uintptr_t function, bool exact, std::uint64_t now) noexcept {
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

// In each thread of the team, inside of a pass in which their work is looked at.
[[gnu::cold]] void begin_work(TeamWork& team, std::uint32_t thread, const void* region,
                              int (*level)()) noexcept {
  watching.work = {&team, thread, region, level, TickClock::now(), 0, 0};
}

// The thread comes to a barrier, which may be the end of the region.
[[gnu::cold]] void work_arrives() noexcept {
  WorkUnderWay& work = watching.work;
  work.arrived = TickClock::now();
  work.team->worked(work.thread, work.arrived - work.began - work.waited);
}

[[gnu::cold]] void work_goes_on() noexcept {
  WorkUnderWay& work = watching.work;
  if (work.arrived != 0) work.waited += TickClock::now() - work.arrived;
  work.arrived = 0;
}

PendingRegions::Row& row_of(const PassUnderWay& pass, std::uintptr_t function) noexcept {
  const bool is_there = pass.row != nullptr && pass.row->function == function;
  return is_there ? *pass.row : watching.pending->row_of(function);
}

// The region has ended, and was not timed. When it did is still of interest if the next one is.
void leave_untimed(const PassUnderWay& pass, std::uintptr_t function, std::uint32_t team) noexcept {
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

// It has ended at `end`, and was timed.
void leave_timed(const PassUnderWay& pass, std::uintptr_t function, std::uint64_t end,
                 std::uint32_t team) noexcept {
  --watching.depth;
  if (watched_regions.load(std::memory_order_relaxed) == nullptr) return;
  if (pass.counted) [[unlikely]]
    watching.counters->end_pass();  // before anything else that would count
  if (watching.pending == nullptr && !begin_thread(end)) return;
  PendingRegions::Row& row = row_of(pass, function);
  const std::uint64_t in_mpi = ticks_in_mpi();
  const std::uint64_t ticks = end - pass.began;
  std::uint64_t took = ticks;
  row.passes.add(took, team, pass.weight);
  if (watching.last_end != 0) {
    const std::uint64_t begin =
        pass.counted ? pass.began - watching.counters->begin_cost() : pass.began;
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
  if (pass.counted) [[unlikely]]
    end_counting(pass, row, ticks);
  if (end - watching.handed_over > kHandOver && !is_of_rank()) hand_over(end);
}

}  // namespace

WatchedRegion::WatchedRegion(const OpenMpRuntime& runtime, Function outlined, void* argument,
                             unsigned asked_threads, RuntimeCall call, Kind kind) noexcept
    : function_(outlined), data_(argument), runtime_(runtime), outermost_(enter(runtime)) {
  if (!outermost_) return;
  beginner_ = &watching;
  if (kind == Kind::kReductions) reductions_ = *static_cast<void**>(argument);
  if (kind != Kind::kTeams) hook_ = region_hook.load(std::memory_order_acquire);
  RunTrace* const trace = traced_regions.load(std::memory_order_acquire);
  const auto place = reinterpret_cast<std::uintptr_t>(outlined);
  RegionBegin begin{place, asked_threads, &runtime};
  if (hook_ != nullptr) [[unlikely]]
    token_ = hook_->begins(begin);
  is_of_hook_ = begin.now != 0;
  pass_ = begin_pass(place, trace != nullptr, begin.now);
  if (kind == Kind::kTeams) pass_.work = nullptr;
  if (trace != nullptr) [[unlikely]] {
    has_members_ = kind != Kind::kTeams;
    trace_ = begin_traced(*trace, {place, false}, call, pass_.began);
  }
}

void WatchedRegion::run(void* region) {
  auto& self = *static_cast<WatchedRegion*>(region);
  const bool beginner = self.beginner_ == &watching;
  if (beginner) self.team_ = static_cast<std::uint32_t>(self.runtime_.team_size());
  if (self.hook_ != nullptr) [[unlikely]]
    self.hook_->in_thread(self.token_, static_cast<std::uint32_t>(self.runtime_.thread_number()));
  // What another runtime's regions do inside is a part of this one.
  if (!beginner) ++watching.depth;
  if (self.pass_.work != nullptr) [[unlikely]]
    self.run_observed();
  else
    self.run_function();
  if (!beginner) --watching.depth;
}

void WatchedRegion::run_function() {
  if (trace_ != nullptr && has_members_) [[unlikely]]
    run_traced();
  else
    function_(data_);
}

void WatchedRegion::run_observed() {
  begin_work(*pass_.work, static_cast<std::uint32_t>(runtime_.thread_number()), nullptr,
             runtime_.level);
  run_function();
  work_arrives();
  watching.work.team = nullptr;
}

void WatchedRegion::run_traced() {
  const auto thread = static_cast<std::uint32_t>(runtime_.thread_number());
  join_traced(*trace_, thread, static_cast<std::uint32_t>(runtime_.team_size()), nullptr);
  watching.level = runtime_.level;
  function_(data_);
  watching.team = nullptr;
  trace_->arrives(thread, TickClock::now());
}

WatchedRegion::~WatchedRegion() {
  if (!outermost_) return;
  const auto place = reinterpret_cast<std::uintptr_t>(function_);
  if (pass_.weight == 0) {
    leave_untimed(pass_, place, team_);
    return;
  }
  const std::uint64_t end = TickClock::now();
  if (trace_ != nullptr) [[unlikely]]
    trace_->ends(end);
  leave_timed(pass_, place, end, team_);
  if (is_of_hook_ && watched_regions.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
    if (hook_->ended != nullptr) hook_->ended(token_, team_, end - pass_.began, end);
}

void RegionPair::begin(const OpenMpRuntime& runtime, WatchedRegion::Function function) noexcept {
  if (watching.pair_depth++ != 0 || !enter(runtime)) return;
  watching.pair_function = reinterpret_cast<std::uintptr_t>(function);
  watching.pair_team = 1;
  watching.pair_began = TickClock::now();
}

void RegionPair::has_team(const OpenMpRuntime& runtime) noexcept {
  if (watching.pair_depth == 1 && watching.pair_began != 0)
    watching.pair_team = static_cast<std::uint32_t>(runtime.team_size());
}

void RegionPair::end() noexcept {
  if (watching.pair_depth == 0 || --watching.pair_depth != 0 || watching.pair_began == 0) return;
  PassUnderWay pass;
  pass.began = watching.pair_began;
  leave_timed(pass, watching.pair_function, TickClock::now(), watching.pair_team);
  watching.pair_began = 0;
}

bool WatchedBarrier::is_watched(const OpenMpRuntime& runtime) noexcept {
  const bool is_traced = watching.team != nullptr && watching.level == runtime.level;
  const bool is_observed = watching.work.team != nullptr && watching.work.level == runtime.level;
  return (is_traced || is_observed) && runtime.level() == 1;
}

// What a thread has of runtimes that report barriers themselves has no level.
void WatchedBarrier::begins(OpenMpPlace place) noexcept {
  if (watching.team != nullptr && watching.level != nullptr)
    watching.team->arrives_at(watching.thread, place, TickClock::now());
  if (watching.work.team != nullptr && watching.work.level != nullptr) work_arrives();
}

void WatchedBarrier::ends() noexcept {
  if (watching.work.team != nullptr && watching.work.level != nullptr) work_goes_on();
  if (watching.team != nullptr && watching.level != nullptr)
    watching.team->goes_on(watching.thread, TickClock::now());
}

namespace {

// A region that is not counted has something to show, too: its threads must know that they are in
// one.
constinit WatchingThread uncounted;

}  // namespace

void* ReportedRegion::begins(RuntimeCall call, unsigned threads) noexcept {
  if (watching.depth != 0 || watched_regions.load(std::memory_order_relaxed) == nullptr)
    return &uncounted;
  ++watching.depth;
  watching.reported_team = 1;
  watching.reported_place = reinterpret_cast<std::uintptr_t>(call.return_address);
  RunTrace* const trace = traced_regions.load(std::memory_order_acquire);
  watching.reported_hook = threads > 0 ? region_hook.load(std::memory_order_acquire) : nullptr;
  RegionBegin begin{watching.reported_place, threads, nullptr};
  if (watching.reported_hook != nullptr) [[unlikely]]
    watching.reported_token = watching.reported_hook->begins(begin);
  watching.is_of_reported_hook = begin.now != 0;
  watching.reported_pass = begin_pass(watching.reported_place, trace != nullptr, begin.now);
  if (threads == 0) watching.reported_pass.work = nullptr;  // a league has teams
  watching.work.team = nullptr;
  if (trace != nullptr) [[unlikely]]
    watching.reported_trace =
        begin_traced(*trace, {watching.reported_place, true}, call, watching.reported_pass.began);
  return &watching;
}

void ReportedRegion::has_team(void* region, std::uint32_t team) noexcept {
  if (region != &watching) return;
  watching.reported_team = team;
  watching.work.team = nullptr;
  if (watching.reported_hook != nullptr) [[unlikely]]
    watching.reported_hook->in_thread(watching.reported_token, 0);
  if (watching.reported_pass.work != nullptr) [[unlikely]]
    begin_work(*watching.reported_pass.work, 0, region, nullptr);
  if (watching.reported_trace != nullptr) [[unlikely]]
    join_traced(*watching.reported_trace, 0, team, region);
}

void ReportedRegion::member_begins() noexcept {
  ++watching.depth;
  watching.work.team = nullptr;
}

void ReportedRegion::member_goes_home(std::uint32_t thread) noexcept {
  const RegionHook* const hook = region_hook.load(std::memory_order_acquire);
  if (hook != nullptr) [[unlikely]]
    hook->in_thread(0, thread);
}

void ReportedRegion::member_ends() noexcept {
  if (watching.depth > 0) --watching.depth;
  watching.work.team = nullptr;
}

void ReportedRegion::member_joins(void* region, std::uint32_t thread, std::uint32_t team) noexcept {
  // Of the thread that began it, which goes on only when all of its team have.
  const WatchingThread& beginner = *static_cast<const WatchingThread*>(region);
  watching.work.team = nullptr;
  if (beginner.reported_hook != nullptr) [[unlikely]]
    beginner.reported_hook->in_thread(beginner.reported_token, thread);
  else if (&beginner == &uncounted)
    member_goes_home(thread);
  if (beginner.reported_pass.work != nullptr) [[unlikely]]
    begin_work(*beginner.reported_pass.work, thread, region, nullptr);
  TeamTrace* const trace = beginner.reported_trace;
  if (trace != nullptr) [[unlikely]]
    join_traced(*trace, thread, team, region);
}

void ReportedRegion::barrier_begins(void* region, const void* place) noexcept {
  if (region == nullptr) return;
  if (watching.work.team != nullptr && watching.work.region == region) work_arrives();
  if (watching.team == nullptr || watching.region != region) return;
  if (place == nullptr)
    watching.team->arrives(watching.thread, TickClock::now());
  else
    watching.team->arrives_at(watching.thread, {reinterpret_cast<std::uintptr_t>(place), true},
                              TickClock::now());
}

// Of a barrier inside of a region: all threads of it are in it.
void ReportedRegion::barrier_ends() noexcept {
  if (watching.work.team != nullptr) work_goes_on();
  if (watching.team != nullptr && watching.team->pass() == watching.pass)
    watching.team->goes_on(watching.thread, TickClock::now());
}

void ReportedRegion::ends(void* region) noexcept {
  if (region != &watching) return;
  if (watching.reported_pass.weight == 0) {
    leave_untimed(watching.reported_pass, watching.reported_place, watching.reported_team);
    return;
  }
  const std::uint64_t end = TickClock::now();
  if (watching.reported_trace != nullptr) [[unlikely]] {
    watching.team = nullptr;
    watching.reported_trace->ends(end);
    watching.reported_trace = nullptr;
  }
  leave_timed(watching.reported_pass, watching.reported_place, end, watching.reported_team);
  watching.work.team = nullptr;
  if (watching.is_of_reported_hook && watched_regions.load(std::memory_order_relaxed) != nullptr)
      [[unlikely]]
    if (watching.reported_hook->ended != nullptr)
      watching.reported_hook->ended(watching.reported_token, watching.reported_team,
                                    end - watching.reported_pass.began, end);
}

}  // namespace huddle::recorder
