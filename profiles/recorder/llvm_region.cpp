#include "profiles/recorder/llvm_region.hpp"

#include <utility>

#if defined(__x86_64__) || defined(__aarch64__)
// In openmp_llvm_entries.S: calls `microtask` with more pointers than registers have room for.
extern "C" void huddle_call_microtask(huddle::recorder::Microtask outlined,
                                      std::int32_t* global_number, std::int32_t* team_number,
                                      void* const* arguments, std::int64_t count);
#endif

namespace huddle::recorder {

// Its arguments are pointers, so it is called as if it had no more of them than it has, or than
// registers have room for: those that it has not are not looked at.
inline void ProgramsMicrotask::call(std::int32_t* global_number, std::int32_t* team_number) const {
#if defined(__x86_64__) || defined(__aarch64__)
  constexpr std::int32_t kInRegisters = 4;
  if (count > kInRegisters) {
    huddle_call_microtask(function, global_number, team_number, arguments, count);
    return;
  }
#endif
  using Fixed = void (*)(std::int32_t*, std::int32_t*, void*, void*, void*, void*);
  reinterpret_cast<Fixed>(function)(global_number, team_number, arguments[0],  // NOLINT
                                    arguments[1], arguments[2], arguments[3]);
}

namespace {

void join_team() noexcept {
  watching.is_worker = true;
  ++watching.depth;
}

// A thread of a league or of an inner team: it may still be where a team was packed that it was in
// last, as these runtimes have one pool of threads for all teams.
void go_home() noexcept {
  const RegionHook* const hook = region_hook.load(std::memory_order_acquire);
  if (hook != nullptr) hook->in_thread(0, 0);
}

}  // namespace

// A team of one thread is known by what the runtime calls for it; of others it is asked.
void CountedFork::run(std::int32_t* global_number, std::int32_t* team_number, CountedFork* region) {
  if (region->beginner_ != &watching)
    join_team();
  else if (!watching.is_alone && !region->is_league_)
    region->team_ = static_cast<std::uint32_t>(region->runtime_.team_size());
  if (region->pass_.work != nullptr) [[unlikely]]
    region->run_observed(global_number, team_number);
  else
    region->program_.call(global_number, team_number);
  if (region->beginner_ != &watching) --watching.depth;
}

void CountedFork::run_inner(std::int32_t* global_number, std::int32_t* team_number,
                            CountedFork* region) {
  if (region->beginner_ != &watching) join_team();
  region->program_.call(global_number, team_number);
  if (region->beginner_ != &watching) --watching.depth;
}

void CountedFork::run_observed(std::int32_t* global_number, std::int32_t* team_number) const {
  begin_work(*pass_.work, static_cast<std::uint32_t>(*team_number), runtime_.level);
  program_.call(global_number, team_number);
  work_arrives();
  watching.work.team = nullptr;
}

WatchedFork::WatchedFork(const OpenMpRuntime& runtime, const ProgramsMicrotask& program,
                         RuntimeCall call, WatchedRegion::Kind kind) noexcept
    : program_(program),
      beginner_(&watching),
      is_league_(kind == WatchedRegion::Kind::kTeams),
      region_(runtime, run_program, this, std::exchange(watching.asked_threads, 0), call, kind,
              {reinterpret_cast<std::uintptr_t>(call.return_address), true}) {}

Microtask WatchedFork::microtask() const {
  return microtask_of(region_.is_outermost() ? run : run_inner);
}

void WatchedFork::run(std::int32_t* global_number, std::int32_t* team_number, WatchedFork* region) {
  watching.global_number = global_number;
  watching.team_number = team_number;
  if (region->is_league_ && region->beginner_ != &watching) go_home();
  WatchedRegion::run(&region->region_);
}

void WatchedFork::run_program(void* region) {
  static_cast<const WatchedFork*>(region)->program_.call(watching.global_number,
                                                         watching.team_number);
}

void WatchedFork::run_inner(std::int32_t* global_number, std::int32_t* team_number,
                            WatchedFork* region) {
  const bool is_member = region->beginner_ != &watching;
  if (is_member) {
    join_team();
    go_home();
  }
  region->program_.call(global_number, team_number);
  if (is_member) --watching.depth;
}

void SerializedRegion::begins_outermost(const OpenMpRuntime& runtime, RuntimeCall call) noexcept {
  if (!enter_llvm_region(runtime)) return;
  RunTrace* const trace = traced_regions.load(std::memory_order_acquire);
  const auto place = reinterpret_cast<std::uintptr_t>(call.return_address);
  watching.is_serialized = true;
  watching.serialized_in = runtime.level;
  watching.serialized_place = place;
  watching.serialized_pass = begin_pass(place, trace != nullptr, 0);
  watching.serialized_pass.work = nullptr;  // there is nothing to compare
  if (trace == nullptr) [[likely]]
    return;
  watching.serialized_trace =
      begin_traced(*trace, {place, true}, call, watching.serialized_pass.began);
  if (watching.serialized_trace == nullptr) return;
  join_traced(*watching.serialized_trace, 0, 1, runtime.level);
}

void SerializedRegion::ended(const OpenMpRuntime& runtime) noexcept {
  // One of another runtime inside of it does not end it.
  if (runtime.level != watching.serialized_in || runtime.level() != 0) return;
  watching.is_serialized = false;
  const PassUnderWay& pass = watching.serialized_pass;
  if (pass.weight == 0) {
    leave_untimed(pass, watching.serialized_place, 1);
    return;
  }
  const std::uint64_t end = TickClock::now();
  if (watching.serialized_trace != nullptr) [[unlikely]] {
    watching.team = nullptr;
    watching.serialized_trace->arrives(0, end);
    watching.serialized_trace->ends(end);
    watching.serialized_trace = nullptr;
  }
  leave_timed(pass, watching.serialized_place, end, 1);
}

}  // namespace huddle::recorder
