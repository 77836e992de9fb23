#include "profiles/recorder/region_watch.hpp"

#include <memory>
#include <new>

#include "profiles/recorder/recorder.hpp"

namespace huddle::recorder {

constinit std::atomic<RegionRecords*> watched_regions{nullptr};

namespace {

// Of threads that reach no delimiter, regions are handed over once in so many ticks, by which no
// more than this much is missing if the run is cut short.
constexpr std::uint64_t kHandOver = 100'000'000;

// What the calling thread has under way. A plain object, so that looking at it costs nothing.
struct Mine {
  std::uint32_t depth = 0;
  PendingRegions* pending = nullptr;
  std::uint64_t last_end = 0;  // of a region, or where a delimiter began
  std::uint64_t in_mpi = 0;    // until then, in ticks
  std::uint64_t handed_over = 0;
  // Of a pair of calls.
  std::uint32_t pair_depth = 0;
  std::uint32_t pair_team = 1;
  std::uint64_t pair_began = 0;
  std::uintptr_t pair_function = 0;
  // Of a region that its runtime reports.
  std::uint32_t reported_team = 1;
  std::uint64_t reported_began = 0;
  std::uintptr_t reported_place = 0;
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

// A region has ended at `end`.
void leave(std::uintptr_t function, std::uint64_t began, std::uint64_t end,
           std::uint32_t team) noexcept {
  --mine.depth;
  if (watched_regions.load(std::memory_order_relaxed) == nullptr) return;
  if (mine.pending == nullptr && !begin_thread(end)) return;
  const std::uint64_t in_mpi = ticks_in_mpi();
  // The first region of a thread that has begun late has nothing that it could count from.
  const std::uint64_t since = mine.last_end == 0 ? began : mine.last_end;
  const std::uint64_t between = began > since ? began - since : 0;
  const std::uint64_t inside = mine.last_end == 0 ? 0 : in_mpi - mine.in_mpi;
  mine.pending->add(function, end - began, between > inside ? between - inside : 0, team);
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
                             unsigned asked_threads, Kind kind) noexcept
    : function_(outlined), data_(argument), runtime_(runtime), outermost_(enter(runtime)) {
  if (!outermost_) return;
  beginner_ = &mine;
  if (kind == Kind::kReductions) reductions_ = *static_cast<void**>(argument);
  if (kind != Kind::kTeams) hook_ = region_hook.load(std::memory_order_acquire);
  if (hook_ != nullptr) [[unlikely]]
    token_ = hook_->begins({outlined, asked_threads, &runtime});
  began_ = TickClock::now();
}

void WatchedRegion::run(void* region) {
  auto& self = *static_cast<WatchedRegion*>(region);
  const bool beginner = self.beginner_ == &mine;
  if (beginner) self.team_ = static_cast<std::uint32_t>(self.runtime_.team_size());
  if (self.hook_ != nullptr) [[unlikely]]
    self.hook_->in_thread(self.token_, static_cast<std::uint32_t>(self.runtime_.thread_number()));
  // What another runtime's regions do inside is a part of this one.
  if (!beginner) ++mine.depth;
  self.function_(self.data_);
  if (!beginner) --mine.depth;
}

WatchedRegion::~WatchedRegion() {
  if (!outermost_) return;
  const std::uint64_t end = TickClock::now();
  leave(reinterpret_cast<std::uintptr_t>(function_), began_, end, team_);
  if (hook_ != nullptr) [[unlikely]]
    if (hook_->ended != nullptr) hook_->ended(token_, team_, end - began_);
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
  leave(mine.pair_function, mine.pair_began, TickClock::now(), mine.pair_team);
  mine.pair_began = 0;
}

void* ReportedRegion::begins(const void* place) noexcept {
  // A region that is not counted has something to show, too: its threads must know that they are in
  // one.
  static constinit char uncounted = 0;
  if (mine.depth != 0 || watched_regions.load(std::memory_order_relaxed) == nullptr)
    return &uncounted;
  ++mine.depth;
  mine.reported_team = 1;
  mine.reported_place = reinterpret_cast<std::uintptr_t>(place);
  mine.reported_began = TickClock::now();
  return &mine;
}

void ReportedRegion::has_team(void* region, std::uint32_t team) noexcept {
  if (region == &mine) mine.reported_team = team;
}

void ReportedRegion::member_begins() noexcept {
  ++mine.depth;
}

void ReportedRegion::member_ends() noexcept {
  if (mine.depth > 0) --mine.depth;
}

void ReportedRegion::ends(void* region) noexcept {
  if (region == &mine)
    leave(mine.reported_place, mine.reported_began, TickClock::now(), mine.reported_team);
}

}  // namespace huddle::recorder
