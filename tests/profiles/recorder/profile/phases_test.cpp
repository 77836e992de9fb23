#include "profiles/recorder/profile/phases.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

using namespace huddle;
using namespace huddle::recorder;

namespace {

// One tick is 1 ns.
const Interval kMillisecond({.ticks = 0, .nanoseconds = 0},
                            {.ticks = 1'000'000, .nanoseconds = 1'000'000});

CallSite site(const char* name) {
  return PhaseTracker::named_site(name);
}

std::vector<PhaseRecord> records_of(const PhaseTracker& phases) {
  return phases.records(kMillisecond, [](const counters::Tally&) { return std::vector<double>{}; });
}

const PhaseRecord& between(const PhaseTracker& phases, const std::vector<PhaseRecord>& records,
                           const std::string& begin, const std::string& end) {
  for (const PhaseGroup& group : phases.groups())
    if (group.begin == begin && group.end == end)
      for (const PhaseRecord& record : records)
        if (record.group == group.id) return record;
  FAIL("no phase from ", begin, " to ", end);
  return records.front();
}

}  // namespace

TEST_CASE("a phase is known again by its two delimiters, and its passes make mean and variance") {
  PhaseTracker phases(100, nullptr);
  const CallSite reduce = site("allreduce at a");
  const CallSite wait = site("waitall at b");
  std::uint64_t now = 100;
  for (const std::uint64_t length : {10U, 20U, 30U}) {
    phases.end_phase(wait, now += length, 0);
    phases.begin_phase(now += 5, 5);
    phases.end_phase(reduce, now += 7, 5);
    phases.begin_phase(now += 3, 5);
  }
  const auto records = records_of(phases);
  CHECK(records.size() == 3);
  CHECK(between(phases, records, "init", "waitall at b").count == 1);
  const PhaseRecord first = between(phases, records, "allreduce at a", "waitall at b");
  CHECK(first.count == 2);
  CHECK(first.mean.value == doctest::Approx(25e-9));
  CHECK(first.variance_s2 == doctest::Approx(25e-18));
  CHECK(first.shortest.value == doctest::Approx(20e-9));
  CHECK(first.longest.value == doctest::Approx(30e-9));
  CHECK(first.delimiter_time.value == doctest::Approx(10e-9));
  const PhaseRecord second = between(phases, records, "waitall at b", "allreduce at a");
  CHECK(second.count == 3);
  CHECK(second.variance_s2 == 0);
  CHECK(second.delimiter_time.value == doctest::Approx(9e-9));
}

TEST_CASE("phases that come again are a period, in groups of the profile") {
  PhaseTracker phases(0, nullptr);
  const CallSite up = site("allreduce at up");
  const CallSite down = site("allreduce at down");
  CHECK(phases.periods().empty());
  std::uint64_t now = 0;
  for (int i = 0; i < 70; ++i) {
    phases.end_phase(i % 7 < 3 ? down : up, now += 1000 + 500 * static_cast<unsigned>(i % 7), 0);
    phases.begin_phase(now += 10, 0);
  }
  const auto periods = phases.periods();
  REQUIRE(periods.size() == 1);
  CHECK(periods[0].groups.size() == 7);
  CHECK(periods[0].first <= 1);  // the very first phase begins at MPI_Init
  CHECK(periods[0].passes == 70 - periods[0].first);
  const auto records = records_of(phases);
  for (const std::uint64_t group : periods[0].groups)
    CHECK(std::any_of(records.begin(), records.end(),
                      [&](const PhaseRecord& record) { return record.group == group; }));
}

TEST_CASE("time inside MPI between the delimiters is not computation") {
  PhaseTracker phases(0, nullptr);
  const CallSite barrier = site("barrier");
  phases.end_phase(barrier, 1000, 300);
  phases.begin_phase(1010, 310);
  phases.end_phase(barrier, 2010, 510);
  phases.begin_phase(2020, 520);
  const auto records = records_of(phases);
  const PhaseRecord first = between(phases, records, "init", "barrier");
  CHECK(first.mean.value == doctest::Approx(700e-9));
  CHECK(first.mpi_time.value == doctest::Approx(300e-9));
  CHECK(between(phases, records, "barrier", "barrier").mean.value == doctest::Approx(800e-9));
}

TEST_CASE("an estimate of the time inside MPI that is too large leaves no negative phase") {
  PhaseTracker phases(0, nullptr);
  const CallSite barrier = site("barrier");
  phases.end_phase(barrier, 100, 5000);
  phases.begin_phase(110, 5010);
  CHECK(records_of(phases).front().mean.value == 0);
}

TEST_CASE("phases without end share one record once there are very many") {
  PhaseTracker phases(0, nullptr);
  std::vector<CallSite> sites;
  for (int i = 0; i < 5000; ++i) sites.push_back(site(("barrier at " + std::to_string(i)).c_str()));
  std::uint64_t now = 0;
  for (const CallSite& place : sites) {
    phases.end_phase(place, now += 10, 0);
    phases.begin_phase(now += 10, 0);
  }
  const auto records = records_of(phases);
  CHECK(records.size() < 1100);
  std::uint64_t passes = 0;
  for (const PhaseRecord& record : records) passes += record.count;
  CHECK(passes == 5000);
}

TEST_CASE("phases have the same names in every process that goes through them") {
  PhaseTracker one(0, nullptr);
  PhaseTracker other(50, nullptr);
  const CallSite here = site("barrier at program+0x10");
  const CallSite same = site("barrier at program+0x10");
  one.end_phase(here, 10, 0);
  other.end_phase(same, 90, 0);
  CHECK(one.groups().front().id == other.groups().front().id);
}

TEST_CASE("counters are read at both ends of a phase, and what they counted belongs to it") {
  const std::vector<std::string> events = {"task-clock"};
  const counters::CounterSet set = counters::CounterSet::open(events);
  REQUIRE(set.events().size() == 1);
  PhaseCounters counters(set);
  PhaseTracker phases(TickClock::now(), &counters);
  const CallSite barrier = site("barrier");
  double work = 0;
  for (int i = 1; i < 3'000'000; ++i) work += 1 / std::sqrt(i);
  CHECK(work > 0);
  phases.stop_counting();
  phases.end_phase(barrier, TickClock::now(), 0);
  const auto records = phases.records(kMillisecond, [&](const counters::Tally& tally) {
    return std::vector<double>{set.counts(tally).at(0).value_or(-1)};
  });
  REQUIRE(records.size() == 1);
  CHECK(records[0].counted == 1);
  CHECK(records[0].counts.at(0) > 1e6);  // ns
}
