#include "profiles/recorder/openmp/region_counters.hpp"

#include <doctest/doctest.h>
#include <linux/perf_event.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "profiles/recorder/openmp/region_places.hpp"
#include "profiles/recorder/openmp/region_records.hpp"
#include "tests/profiles/hardware/counters/fake_kernel.hpp"

namespace huddle::recorder {
namespace {

using counters::CounterSet;
using counters::EventRequest;
using counters::FakeKernel;
using counters::Reading;
using counters::Sample;
using counters::Tally;

const std::vector<std::string> kEvents = {"instructions", "cycles"};
constexpr std::uintptr_t kRegion = 0x4000;
constexpr std::uintptr_t kOther = 0x5000;

// A processor on which work is done: what its counters show.
struct Work {
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
  std::uint64_t enabled = 1000;
  std::uint64_t running = 1000;

  void put_into(FakeKernel& kernel) {
    kernel.show = [this](const EventRequest& request) {
      const bool is_work = request.code.config == PERF_COUNT_HW_INSTRUCTIONS;
      return Sample{is_work ? instructions : cycles, enabled, running};
    };
  }
  void pass(std::uint64_t more_instructions, std::uint64_t more_cycles) {
    instructions += more_instructions;
    cycles += more_cycles;
    enabled += 100;
    running += 100;
  }
};

PendingRegions pending_of(std::uintptr_t function, int passes) {
  PendingRegions pending;
  for (int i = 0; i < passes; ++i) pending.row_of(function).passes.add(50, 2, 1);
  return pending;
}

}  // namespace

TEST_CASE(
    "what is counted between the ends of a pass belongs to its region, as often as it stands") {
  FakeKernel kernel;
  Work work;
  work.put_into(kernel);
  const CounterSet set = CounterSet::open(kEvents, kernel.kernel());
  REQUIRE(set.events() == kEvents);
  RegionCounters counters(set);
  for (const std::uint64_t weight : {1U, 5U}) {
    work.pass(1'000'000, 1'000'000);  // before it
    REQUIRE(counters.begin_pass(TickClock::now()));
    work.pass(300, 200);
    counters.end_pass();
    counters.keep(kRegion, 50, weight);
  }
  REQUIRE(counters.begin_pass(TickClock::now()));
  work.pass(7, 70);
  counters.end_pass();
  counters.keep(kOther, 20, 2);

  REQUIRE(counters.pending().size() == 2);
  const RegionCounts& counts = counters.pending().at(kRegion);
  CHECK(counts.passes == 2);
  CHECK(counts.weight == 6);
  CHECK(counts.ticks == 300);
  CHECK(set.counts(counts.tally) == std::vector<std::optional<double>>{1800, 1200});
  CHECK(set.counts(counters.pending().at(kOther).tally) ==
        std::vector<std::optional<double>>{14, 140});
  counters.clear();
  CHECK(counters.pending().empty());
}

TEST_CASE(
    "counters that were on the hardware for a part of passes are corrected over all of them") {
  FakeKernel kernel;
  Work work;
  work.put_into(kernel);
  const CounterSet set = CounterSet::open(kEvents, kernel.kernel());
  RegionCounters counters(set);
  for (const std::uint64_t running : {100U, 0U}) {  // in one of two passes
    REQUIRE(counters.begin_pass(TickClock::now()));
    work.instructions += running == 0 ? 0 : 900;
    work.enabled += 100;
    work.running += running;
    counters.end_pass();
    counters.keep(kRegion, 50, 1);
  }
  CHECK(set.counts(counters.pending().at(kRegion).tally).at(0) == 1800);
}

TEST_CASE("reading ceases when it has cost its share, and goes on when time has passed") {
  FakeKernel kernel;
  kernel.show = [](const EventRequest&) {
    const std::uint64_t begin = TickClock::now();
    while (TickClock::now() - begin < 50'000) {
    }
    return Sample{1, 1, 1};
  };
  const CounterSet set = CounterSet::open({kEvents.data(), 1}, kernel.kernel());
  RegionCounters counters(set);
  const std::uint64_t now = TickClock::now();
  std::uint64_t passes = 0;
  while (passes < 10'000 && counters.begin_pass(now)) {
    counters.end_pass();
    ++passes;
  }
  // The time that is saved at the begin is that of 256 readings as they are expected to be: fewer
  // of these.
  CHECK(passes >= 1);
  CHECK(passes < 256);
  CHECK(counters.cost() >= 20'000);
  const std::size_t reads = kernel.reads();
  CHECK_FALSE(counters.begin_pass(now));
  CHECK(kernel.reads() == reads);
  // They owe three readings at most.
  CHECK(counters.begin_pass(now + 16 * RegionCounters::kShare * (counters.cost() + 100'000)));
}

TEST_CASE("one reading that was interrupted does not end the counting") {
  FakeKernel kernel;
  std::uint64_t pause = 100'000'000;  // ticks: of some 40 ms
  kernel.show = [&](const EventRequest&) {
    const std::uint64_t begin = TickClock::now();
    while (TickClock::now() - begin < pause) {
    }
    pause = 0;
    return Sample{1, 1, 1};
  };
  const CounterSet set = CounterSet::open({kEvents.data(), 1}, kernel.kernel());
  RegionCounters counters(set);
  const std::uint64_t now = TickClock::now();
  REQUIRE(counters.begin_pass(now));
  counters.end_pass();
  CHECK(pause == 0);
  CHECK(counters.begin_pass(now));
  CHECK(counters.cost() < 100'000);
}

TEST_CASE(
    "of a million passes as many are drawn as reading may cost, and not those of the work's draw") {
  ReadingDraw counting(88675123U);
  ReadingDraw work;
  double weights = 0;
  std::uint64_t drawn = 0;
  std::uint64_t both = 0;
  constexpr std::uint64_t kPasses = 1'000'000;
  for (std::uint64_t i = 0; i < kPasses; ++i) {
    const bool works = work.draws();
    if (works) work.looked(500, 10'000);
    if (!counting.draws()) continue;
    ++drawn;
    weights += counting.weight();
    if (works) ++both;
    counting.looked(500, 10'000);
  }
  CHECK(drawn * 500 * ReadingDraw::kShare <= kPasses * 10'000 * 11 / 10);
  CHECK(weights == doctest::Approx(kPasses).epsilon(0.05));
  CHECK(both < drawn / 4);
}

TEST_CASE("what was counted is kept under the group of its passes, and added up there") {
  RegionCounters::Pending counts;
  counts[kRegion].passes = 2;
  counts[kRegion].weight = 6;
  counts[kRegion].ticks = 300;
  counts[kRegion].tally.size = 1;
  counts[kRegion].tally.samples[0] = {1800, 10, 10};
  RegionRecords records;
  const PendingRegions pending = pending_of(kRegion, 6);
  records.attribute(9, pending, counts);
  records.attribute(9, pending, counts);
  records.attribute(4, pending);
  const auto rows = records.rows();
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].group == 4);
  CHECK(rows[0].counts.passes == 0);
  CHECK(rows[1].counts.passes == 4);
  CHECK(rows[1].counts.weight == 12);
  CHECK(rows[1].counts.tally.samples[0].value == 3600);
  CHECK(rows[1].counts.tally.size == 1);
}

TEST_CASE("a lost event stays lost when tallies are added up") {
  Tally lost;
  lost.size = 2;
  lost.lost = 2;
  Tally other;
  other.size = 2;
  other.samples[0] = {5, 1, 1};
  other.add(lost);
  CHECK(other.lost == 2);
  CHECK(other.samples[0].value == 5);
  Reading begin;
  Reading end;
  begin.size = end.size = 1;
  end.samples[0] = {10, 20, 30};
  Tally stands;
  stands.add(begin, end, 3);
  CHECK(stands.samples[0].value == 30);
  CHECK(stands.samples[0].enabled_ns == 60);
  CHECK(stands.samples[0].running_ns == 90);
}

TEST_CASE("a profile has the counts of regions in which something was counted, and no others") {
  RegionCounters::Pending counts;
  counts[kRegion].passes = 2;
  counts[kRegion].weight = 6;
  counts[kRegion].ticks = 300;
  RegionRecords records;
  records.attribute(9, pending_of(kRegion, 6), counts);
  records.attribute(4, pending_of(kRegion, 3));
  const Interval interval(Moment::now(), Moment::now());
  const DescribedRegions described = describe(records, interval, [](const Tally&) {
    return std::vector<double>{12, std::nan("")};
  });
  REQUIRE(described.records.size() == 2);
  CHECK(described.records[0].counted_passes == 0);
  CHECK(described.records[0].counts.empty());
  CHECK(described.records[1].counted_passes == 2);
  CHECK(described.records[1].counted_for == 6);
  CHECK(described.records[1].counted_time.value >= 0);
  REQUIRE(described.records[1].counts.size() == 2);
  CHECK(described.records[1].counts[0] == 12);
  CHECK(describe(records, interval).records[1].counts.empty());
}

}  // namespace huddle::recorder
