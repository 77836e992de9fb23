#include "profiles/recorder/watching_thread.hpp"

#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "profiles/recorder/recorder.hpp"

namespace huddle::recorder {

constinit thread_local WatchingThread watching;

std::uint64_t ticks_in_mpi() noexcept {
  return thread_context.state == nullptr ? 0 : thread_context.state->counters.ticks_inside();
}

bool is_of_rank() noexcept {
  return thread_context.state != nullptr && thread_context.state->phases != nullptr;
}

namespace {

// Hands over what is pending when the thread ends.
struct LastRegions {
  LastRegions() = default;
  ~LastRegions() {
    std::unique_ptr<PendingRegions> pending(watching.pending);
    std::unique_ptr<TeamWork> work(watching.teams_work);
    // exit() inside of a region: the others of its team may still leave theirs there.
    if (watching.depth != 0) static_cast<void>(work.release());
    const std::unique_ptr<PassPeriods> sequence(watching.sequence);
    const std::unique_ptr<RegionCounters> counters(watching.counters);
    watching.pending = nullptr;
    watching.teams_work = nullptr;
    watching.sequence = nullptr;
    watching.counters = nullptr;
    RegionRecords* const records = watched_regions.load(std::memory_order_acquire);
    if (pending == nullptr || records == nullptr) return;
    try {
      records->attribute(RegionRecords::kNoGroup, *pending,
                         counters ? counters->pending() : RegionCounters::Pending{});
    } catch (...) {
      give_up_recording();
    }
  }
  LastRegions(const LastRegions&) = delete;
  LastRegions& operator=(const LastRegions&) = delete;
  void stays() const noexcept {}
};
thread_local LastRegions last_regions;

// Only if there is news. Throws std::bad_alloc.
void publish_period() {
  if (watching.sequence->known_passes() == watching.known_passes) return;
  std::optional<RegionRecords::Period> period;
  if (auto found = watching.sequence->known())
    period = {found->first, found->passes, std::move(found->groups)};
  run_regions().set_period(std::move(period));
  watching.known_passes = watching.sequence->known_passes();
}

}  // namespace

bool begin_thread(std::uint64_t now) noexcept {
  watching.pending = new (std::nothrow) PendingRegions;
  if (is_of_rank()) watching.sequence = new (std::nothrow) PassPeriods;
  if (is_of_rank() && run_counters() != nullptr)
    watching.counters = new (std::nothrow) RegionCounters(*run_counters());
  if (watching.pending == nullptr) {
    give_up_recording();
    return false;
  }
  last_regions.stays();  // so that its destructor will run
  watching.handed_over = now;
  return true;
}

void hand_over(std::uint64_t now) noexcept {
  RegionRecords* const records = watched_regions.load(std::memory_order_acquire);
  if (records == nullptr || watching.pending == nullptr) return;
  try {
    records->attribute(RegionRecords::kNoGroup, *watching.pending);
    watching.pending->clear();
    watching.handed_over = now;
  } catch (...) {
    give_up_recording();
  }
}

TeamWork* work_of_teams() noexcept {
  if (watching.teams_work == nullptr) watching.teams_work = new (std::nothrow) TeamWork;
  return watching.teams_work;
}

void end_work(const PassUnderWay& pass, PendingRegions::Row& row, std::uint64_t ticks,
              std::uint32_t team) noexcept {
  const std::uint64_t begin = TickClock::now();
  const auto seen = pass.work->seen(team, ticks);
  if (seen) row.passes.add_work(*seen, ticks, static_cast<double>(pass.weight) * row.work.weight());
  const std::uint64_t now = TickClock::now();
  // Beside what it took this thread now, each of the team has read the clock twice.
  row.work.looked(2 * (now - begin), row.pace.typical() * pass.weight);
  watching.last_end = now;
}

void begin_counting(PassUnderWay& pass) noexcept {
  // A first pass, with cold caches, says nothing of the others, nor how often to read.
  if (pass.row->pace.typical() == 0) {
    pass.row->counting.looked(0, 0);
    return;
  }
  RegionCounters& counters = *watching.counters;
  pass.counted = counters.begin_pass(TickClock::now());
  if (pass.counted) return;
  // Another one may be.
  pass.row->counting.looked(counters.cost(), pass.row->pace.typical() * pass.weight);
}

void end_counting(const PassUnderWay& pass, PendingRegions::Row& row,
                  std::uint64_t ticks) noexcept {
  RegionCounters& counters = *watching.counters;
  try {
    counters.keep(row.function, ticks, std::uint64_t{pass.weight} * row.counting.weight());
  } catch (...) {
    give_up_recording();
  }
  row.counting.looked(counters.cost(), row.pace.typical() * pass.weight);
  watching.last_end = TickClock::now();
}

void attribute_regions(std::uint64_t group, std::uint64_t now) {
  watching.last_end = now;
  watching.in_mpi = ticks_in_mpi();
  if (watching.pending == nullptr || watching.pending->empty()) return;
  if (watching.counters == nullptr) {
    run_regions().attribute(group, *watching.pending);
  } else {
    run_regions().attribute(group, *watching.pending, watching.counters->pending());
    watching.counters->clear();
  }
  if (watching.sequence != nullptr) publish_period();
  watching.pending->clear();
}

void end_region_sequence() {
  if (watching.sequence == nullptr) return;
  static_cast<void>(watching.sequence->period());  // a last look
  publish_period();
}

}  // namespace huddle::recorder
