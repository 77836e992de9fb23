#include "profiles/recorder/region_watch.hpp"

#include "profiles/recorder/recorder.hpp"
#include "profiles/recorder/region_passes.hpp"
#include "profiles/recorder/tracing/run_trace.hpp"
#include "profiles/recorder/watching_thread.hpp"

namespace huddle::recorder {

constinit std::atomic<RegionRecords*> watched_regions{nullptr};
constinit std::atomic<RunTrace*> traced_regions{nullptr};

namespace {

// The teams of the calling thread. What MPI does itself is not recorded, such as an operation of
// the program's in a reduction.
[[gnu::cold]] TeamTrace* find_teams(RunTrace& whole) noexcept {
  if (thread_context.ready == nullptr) {
    ThreadState* const state = enter_first_call();
    if (state == nullptr) return nullptr;
    leave_call(*state);
  }
  if (thread_context.ready->trace == nullptr) return nullptr;
  return watching.teams = whole.teams_of(*thread_context.ready->trace);
}

}  // namespace

TeamTrace* begin_traced(RunTrace& whole, OpenMpPlace place, RuntimeCall call,
                        std::uint64_t time) noexcept {
  const bool in_mpi = thread_context.state != nullptr && thread_context.ready == nullptr;
  if (in_mpi) return nullptr;
  TeamTrace* const teams = watching.teams != nullptr ? watching.teams : find_teams(whole);
  const bool recorded =
      teams != nullptr && teams->begins(place, call.return_address, call.frame, time);
  return recorded ? teams : nullptr;
}

void join_traced(TeamTrace& team, std::uint32_t thread, std::uint32_t size,
                 int (*level)()) noexcept {
  watching.team = &team;
  watching.thread = thread;
  watching.level = level;
  team.joins(thread, size, TickClock::now());
}

WatchedRegion::WatchedRegion(const OpenMpRuntime& runtime, Function outlined, void* argument,
                             unsigned asked_threads, RuntimeCall call, Kind kind,
                             OpenMpPlace place) noexcept
    : function_(outlined),
      data_(argument),
      runtime_(runtime),
      place_(place.address),
      outermost_(enter_region(runtime)) {
  if (!outermost_) return;
  beginner_ = &watching;
  if (kind == Kind::kReductions) reductions_ = *static_cast<void**>(argument);
  if (kind != Kind::kTeams) hook_ = region_hook.load(std::memory_order_acquire);
  RunTrace* const trace = traced_regions.load(std::memory_order_acquire);
  RegionBegin begin{place_, asked_threads, &runtime};
  if (hook_ != nullptr) [[unlikely]]
    token_ = hook_->begins(begin);
  is_of_hook_ = begin.now != 0;
  pass_ = begin_pass(place_, trace != nullptr, begin.now);
  if (kind == Kind::kTeams) pass_.work = nullptr;
  if (trace != nullptr) [[unlikely]] {
    has_members_ = kind != Kind::kTeams;
    trace_ = begin_traced(*trace, place, call, pass_.began);
  }
}

void WatchedRegion::run(void* region) {
  auto& self = *static_cast<WatchedRegion*>(region);
  const bool beginner = self.beginner_ == &watching;
  if (beginner) self.team_ = static_cast<std::uint32_t>(self.runtime_.team_size());
  if (self.hook_ != nullptr) [[unlikely]]
    self.hook_->in_thread(self.token_, static_cast<std::uint32_t>(self.runtime_.thread_number()));
  // The regions of another runtime inside are a part of this one.
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
  begin_work(*pass_.work, static_cast<std::uint32_t>(runtime_.thread_number()), runtime_.level);
  run_function();
  work_arrives();
  watching.work.team = nullptr;
}

void WatchedRegion::run_traced() {
  const auto thread = static_cast<std::uint32_t>(runtime_.thread_number());
  join_traced(*trace_, thread, static_cast<std::uint32_t>(runtime_.team_size()), runtime_.level);
  function_(data_);
  watching.team = nullptr;
  trace_->arrives(thread, TickClock::now());
}

WatchedRegion::~WatchedRegion() {
  if (!outermost_) return;
  if (pass_.weight == 0) {
    leave_untimed(pass_, place_, team_);
    return;
  }
  const std::uint64_t end = TickClock::now();
  if (trace_ != nullptr) [[unlikely]]
    trace_->ends(end);
  leave_timed(pass_, place_, end, team_);
  if (is_of_hook_ && watched_regions.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
    if (hook_->ended != nullptr) hook_->ended(token_, team_, end - pass_.began, end);
}

bool WatchedBarrier::is_watched(const OpenMpRuntime& runtime) noexcept {
  const bool is_traced = watching.team != nullptr && watching.level == runtime.level;
  const bool is_observed = watching.work.team != nullptr && watching.work.level == runtime.level;
  return (is_traced || is_observed) && !watching.at_barrier && runtime.level() == 1;
}

void WatchedBarrier::begins(OpenMpPlace place) noexcept {
  watching.at_barrier = true;
  if (watching.team != nullptr) {
    if (place.address == 0)
      watching.team->arrives(watching.thread, TickClock::now());
    else
      watching.team->arrives_at(watching.thread, place, TickClock::now());
  }
  if (watching.work.team != nullptr) work_arrives();
}

void WatchedBarrier::was_none() noexcept {
  if (watching.work.team != nullptr) watching.work.arrived = 0;
}

void WatchedBarrier::ends() noexcept {
  watching.at_barrier = false;
  if (watching.work.team != nullptr) work_goes_on();
  if (watching.team != nullptr) watching.team->goes_on(watching.thread, TickClock::now());
}

}  // namespace huddle::recorder
