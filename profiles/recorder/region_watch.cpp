#include "profiles/recorder/region_watch.hpp"

#include <memory>
#include <new>

#include "profiles/recorder/recorder.hpp"
#include "profiles/recorder/tracing/run_trace.hpp"

namespace huddle::recorder {

constinit std::atomic<RegionRecords*> watched_regions{nullptr};
constinit std::atomic<RunTrace*> traced_regions{nullptr};

namespace {

// Of threads that reach no delimiter, regions are handed over once in so many ticks, by which no
// more than this much is missing if the run is cut short.
constexpr std::uint64_t kHandOver = 100'000'000;

// What the calling thread has under way. A plain object, so that looking at it costs nothing.
struct Mine {
  std::uint32_t depth = 0;
  PendingRegions* pending = nullptr;
  PassDraw draw;
  std::uint64_t last_end = 0;  // of a region, or where a delimiter began; 0: not known
  std::uint64_t in_mpi = 0;    // until then, in ticks
  std::uint64_t handed_over = 0;
  // Of a pair of calls.
  std::uint32_t pair_depth = 0;
  std::uint32_t pair_team = 1;
  std::uint64_t pair_began = 0;
  std::uintptr_t pair_function = 0;
  // Of a region that its runtime reports.
  std::uint32_t reported_team = 1;
  PassUnderWay reported_pass;
  std::uintptr_t reported_place = 0;
  TeamTrace* reported_trace = nullptr;
  const RegionHook* reported_hook = nullptr;
  std::uint64_t reported_token = 0;
  bool is_of_reported_hook = false;  // that wants to know how long it takes
  // Of its own regions, in the trace.
  TeamTrace* teams = nullptr;
  // The traced team that it is in, or was in last: which pass of it, and as which thread.
  TeamTrace* team = nullptr;
  std::uint64_t pass = 0;
  std::uint32_t thread = 0;
  const void* region = nullptr;  // as its runtime has it, where that reports
  int (*level)() = nullptr;      // of its runtime, where that does not
};
constinit thread_local Mine mine;

std::uint64_t ticks_in_mpi() noexcept {
  return here.state == nullptr ? 0 : here.state->counters.ticks_inside();
}

// Hands over what is pending when the thread ends.
struct LastRegions {
  LastRegions() = default;
  ~LastRegions() {
    std::unique_ptr<PendingRegions> pending(mine.pending);
    mine.pending = nullptr;
    RegionRecords* const records = watched_regions.load(std::memory_order_acquire);
    if (pending == nullptr || records == nullptr) return;
    try {
      records->attribute(RegionRecords::kNoGroup, *pending);
    } catch (...) {
      give_up_recording();
    }
  }
  LastRegions(const LastRegions&) = delete;
  LastRegions& operator=(const LastRegions&) = delete;
  void stays() const noexcept {}
};
thread_local LastRegions last_regions;

[[gnu::cold]] bool begin_thread(std::uint64_t now) noexcept {
  mine.pending = new (std::nothrow) PendingRegions;
  if (mine.pending == nullptr) {
    give_up_recording();
    return false;
  }
  last_regions.stays();  // so that its destructor will run
  mine.handed_over = now;
  return true;
}

// Whether the region that the thread begins lies in no other.
bool enter(const OpenMpRuntime& runtime) noexcept {
  if (mine.depth != 0 || runtime.level() != 0) return false;
  ++mine.depth;
  return true;
}

bool is_of_rank() noexcept {
  return here.state != nullptr && here.state->phases != nullptr;
}

[[gnu::cold]] void hand_over(std::uint64_t now) noexcept {
  RegionRecords* const records = watched_regions.load(std::memory_order_acquire);
  if (records == nullptr || mine.pending == nullptr) return;
  try {
    records->attribute(RegionRecords::kNoGroup, *mine.pending);
    mine.pending->clear();
    mine.handed_over = now;
  } catch (...) {
    give_up_recording();
  }
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
  return mine.teams = whole.teams_of(*here.ready->trace);
}

// Null if the region that begins is not in the trace.
[[gnu::cold]] TeamTrace* begin_traced(RunTrace& whole, OpenMpPlace place, RuntimeCall call,
                                      std::uint64_t time) noexcept {
  const bool in_mpi = here.state != nullptr && here.ready == nullptr;
  if (in_mpi) return nullptr;
  TeamTrace* const teams = mine.teams != nullptr ? mine.teams : find_teams(whole);
  const bool recorded =
      teams != nullptr && teams->begins(place, call.return_address, call.frame, time);
  return recorded ? teams : nullptr;
}

[[gnu::cold]] void join_traced(TeamTrace& team, std::uint32_t thread, std::uint32_t size,
                               const void* region) noexcept {
  mine.team = &team;
  mine.pass = team.pass();
  mine.thread = thread;
  mine.region = region;
  mine.level = nullptr;
  team.joins(thread, size, TickClock::now());
}

// A region begins, at `now` if that was looked at. Where it is short, its pass may not be timed,
// unless it was, or that is to be `exact`.
PassUnderWay begin_pass(std::uintptr_t function, bool exact, std::uint64_t now) noexcept {
  PassUnderWay pass;
  if (mine.pending != nullptr) [[likely]] {
    pass.row = &mine.pending->row_of(function);
    if (!exact && now == 0 && pass.row->pace.is_short()) {
      pass.drawn = mine.draw.draws();
      pass.weight = pass.drawn ? mine.draw.weight() : 0;
      if (!pass.drawn) return pass;
    }
  }
  pass.began = now != 0 ? now : TickClock::now();
  return pass;
}

PendingRegions::Row& row_of(const PassUnderWay& pass, std::uintptr_t function) noexcept {
  const bool is_there = pass.row != nullptr && pass.row->function == function;
  return is_there ? *pass.row : mine.pending->row_of(function);
}

// The region has ended, and was not timed. When it did is still of interest if the next one is.
void leave_untimed(const PassUnderWay& pass, std::uintptr_t function, std::uint32_t team) noexcept {
  --mine.depth;
  if (watched_regions.load(std::memory_order_relaxed) == nullptr || mine.pending == nullptr) return;
  row_of(pass, function).passes.add(team);
  if (mine.draw.draws_next()) [[unlikely]] {
    mine.last_end = TickClock::now();
    mine.in_mpi = ticks_in_mpi();
  } else {
    mine.last_end = 0;
  }
}

// It has ended at `end`, and was timed.
void leave_timed(const PassUnderWay& pass, std::uintptr_t function, std::uint64_t end,
                 std::uint32_t team) noexcept {
  --mine.depth;
  if (watched_regions.load(std::memory_order_relaxed) == nullptr) return;
  if (mine.pending == nullptr && !begin_thread(end)) return;
  PendingRegions::Row& row = row_of(pass, function);
  const std::uint64_t in_mpi = ticks_in_mpi();
  std::uint64_t took = end - pass.began;
  row.passes.add(took, team, pass.weight);
  if (mine.last_end != 0) {
    const std::uint64_t between = pass.began > mine.last_end ? pass.began - mine.last_end : 0;
    const std::uint64_t inside = in_mpi - mine.in_mpi;
    row.passes.add_serial(between > inside ? between - inside : 0, pass.weight);
    took += between;
  }
  row.pace.timed(took);
  if (pass.drawn) mine.draw.timed(took);
  mine.last_end = end;
  mine.in_mpi = in_mpi;
  if (end - mine.handed_over > kHandOver && !is_of_rank()) hand_over(end);
}

}  // namespace

void attribute_regions(std::uint64_t group, std::uint64_t now) {
  mine.last_end = now;
  mine.in_mpi = ticks_in_mpi();
  if (mine.pending == nullptr || mine.pending->empty()) return;
  run_regions().attribute(group, *mine.pending);
  mine.pending->clear();
}

WatchedRegion::WatchedRegion(const OpenMpRuntime& runtime, Function outlined, void* argument,
                             unsigned asked_threads, RuntimeCall call, Kind kind) noexcept
    : function_(outlined), data_(argument), runtime_(runtime), outermost_(enter(runtime)) {
  if (!outermost_) return;
  beginner_ = &mine;
  if (kind == Kind::kReductions) reductions_ = *static_cast<void**>(argument);
  if (kind != Kind::kTeams) hook_ = region_hook.load(std::memory_order_acquire);
  RunTrace* const trace = traced_regions.load(std::memory_order_acquire);
  const auto place = reinterpret_cast<std::uintptr_t>(outlined);
  RegionBegin begin{place, asked_threads, &runtime};
  if (hook_ != nullptr) [[unlikely]]
    token_ = hook_->begins(begin);
  is_of_hook_ = begin.now != 0;
  pass_ = begin_pass(place, trace != nullptr, begin.now);
  if (trace != nullptr) [[unlikely]] {
    has_members_ = kind != Kind::kTeams;
    trace_ = begin_traced(*trace, {place, false}, call, pass_.began);
  }
}

void WatchedRegion::run(void* region) {
  auto& self = *static_cast<WatchedRegion*>(region);
  const bool beginner = self.beginner_ == &mine;
  if (beginner) self.team_ = static_cast<std::uint32_t>(self.runtime_.team_size());
  if (self.hook_ != nullptr) [[unlikely]]
    self.hook_->in_thread(self.token_, static_cast<std::uint32_t>(self.runtime_.thread_number()));
  // What another runtime's regions do inside is a part of this one.
  if (!beginner) ++mine.depth;
  if (self.trace_ != nullptr && self.has_members_) [[unlikely]]
    self.run_traced();
  else
    self.function_(self.data_);
  if (!beginner) --mine.depth;
}

void WatchedRegion::run_traced() {
  const auto thread = static_cast<std::uint32_t>(runtime_.thread_number());
  join_traced(*trace_, thread, static_cast<std::uint32_t>(runtime_.team_size()), nullptr);
  mine.level = runtime_.level;
  function_(data_);
  mine.team = nullptr;
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
  if (is_of_hook_) [[unlikely]]
    if (hook_->ended != nullptr) hook_->ended(token_, team_, end - pass_.began, end);
}

void RegionPair::begin(const OpenMpRuntime& runtime, WatchedRegion::Function function) noexcept {
  if (mine.pair_depth++ != 0 || !enter(runtime)) return;
  mine.pair_function = reinterpret_cast<std::uintptr_t>(function);
  mine.pair_team = 1;
  mine.pair_began = TickClock::now();
}

void RegionPair::has_team(const OpenMpRuntime& runtime) noexcept {
  if (mine.pair_depth == 1 && mine.pair_began != 0)
    mine.pair_team = static_cast<std::uint32_t>(runtime.team_size());
}

void RegionPair::end() noexcept {
  if (mine.pair_depth == 0 || --mine.pair_depth != 0 || mine.pair_began == 0) return;
  PassUnderWay pass;
  pass.began = mine.pair_began;
  leave_timed(pass, mine.pair_function, TickClock::now(), mine.pair_team);
  mine.pair_began = 0;
}

bool TracedBarrier::is_traced(const OpenMpRuntime& runtime) noexcept {
  return mine.team != nullptr && mine.level == runtime.level && runtime.level() == 1;
}

void TracedBarrier::begins(OpenMpPlace place) noexcept {
  mine.team->arrives_at(mine.thread, place, TickClock::now());
}

void TracedBarrier::ends() noexcept {
  if (mine.team != nullptr) mine.team->goes_on(mine.thread, TickClock::now());
}

namespace {

// A region that is not counted has something to show, too: its threads must know that they are in
// one.
constinit Mine uncounted;

}  // namespace

void* ReportedRegion::begins(RuntimeCall call, unsigned threads) noexcept {
  if (mine.depth != 0 || watched_regions.load(std::memory_order_relaxed) == nullptr)
    return &uncounted;
  ++mine.depth;
  mine.reported_team = 1;
  mine.reported_place = reinterpret_cast<std::uintptr_t>(call.return_address);
  RunTrace* const trace = traced_regions.load(std::memory_order_acquire);
  mine.reported_hook = threads > 0 ? region_hook.load(std::memory_order_acquire) : nullptr;
  RegionBegin begin{mine.reported_place, threads, nullptr};
  if (mine.reported_hook != nullptr) [[unlikely]]
    mine.reported_token = mine.reported_hook->begins(begin);
  mine.is_of_reported_hook = begin.now != 0;
  mine.reported_pass = begin_pass(mine.reported_place, trace != nullptr, begin.now);
  if (trace != nullptr) [[unlikely]]
    mine.reported_trace =
        begin_traced(*trace, {mine.reported_place, true}, call, mine.reported_pass.began);
  return &mine;
}

void ReportedRegion::has_team(void* region, std::uint32_t team) noexcept {
  if (region != &mine) return;
  mine.reported_team = team;
  if (mine.reported_hook != nullptr) [[unlikely]]
    mine.reported_hook->in_thread(mine.reported_token, 0);
  if (mine.reported_trace != nullptr) [[unlikely]]
    join_traced(*mine.reported_trace, 0, team, region);
}

void ReportedRegion::member_begins() noexcept {
  ++mine.depth;
}

void ReportedRegion::member_ends() noexcept {
  if (mine.depth > 0) --mine.depth;
}

void ReportedRegion::member_joins(void* region, std::uint32_t thread, std::uint32_t team) noexcept {
  // Of the thread that began it, which goes on only when all of its team have.
  const Mine& beginner = *static_cast<const Mine*>(region);
  if (beginner.reported_hook != nullptr) [[unlikely]]
    beginner.reported_hook->in_thread(beginner.reported_token, thread);
  if (beginner.reported_trace != nullptr) [[unlikely]]
    join_traced(*beginner.reported_trace, thread, team, region);
}

void ReportedRegion::barrier_begins(void* region, const void* place) noexcept {
  if (mine.team == nullptr || region == nullptr || mine.region != region) return;
  if (place == nullptr)
    mine.team->arrives(mine.thread, TickClock::now());
  else
    mine.team->arrives_at(mine.thread, {reinterpret_cast<std::uintptr_t>(place), true},
                          TickClock::now());
}

// Of a barrier inside of a region: all threads of it are in it.
void ReportedRegion::barrier_ends() noexcept {
  if (mine.team != nullptr && mine.team->pass() == mine.pass)
    mine.team->goes_on(mine.thread, TickClock::now());
}

void ReportedRegion::ends(void* region) noexcept {
  if (region != &mine) return;
  if (mine.reported_pass.weight == 0) {
    leave_untimed(mine.reported_pass, mine.reported_place, mine.reported_team);
    return;
  }
  const std::uint64_t end = TickClock::now();
  if (mine.reported_trace != nullptr) [[unlikely]] {
    mine.team = nullptr;
    mine.reported_trace->ends(end);
    mine.reported_trace = nullptr;
  }
  leave_timed(mine.reported_pass, mine.reported_place, end, mine.reported_team);
  if (mine.is_of_reported_hook) [[unlikely]]
    if (mine.reported_hook->ended != nullptr)
      mine.reported_hook->ended(mine.reported_token, mine.reported_team,
                                end - mine.reported_pass.began, end);
}

}  // namespace huddle::recorder
