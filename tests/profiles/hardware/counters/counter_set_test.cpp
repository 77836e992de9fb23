#include "profiles/hardware/counters/counter_set.hpp"

#include <doctest/doctest.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "tests/profiles/hardware/counters/fake_kernel.hpp"

namespace huddle::counters {
namespace {

using Names = std::vector<std::string>;
using Counts = std::vector<std::optional<double>>;

// A machine with one kind of cores and an instruction counter that the test sets.
struct Machine {
  Machine() {
    fake.add_pmu("cpu", PERF_TYPE_RAW);
    fake.show = [this](const EventRequest& request) {
      Sample sample = now;
      if (request.code.config == PERF_COUNT_HW_CPU_CYCLES) sample.value *= 2;
      return sample;
    };
    set = CounterSet::open(Names{"instructions", "cycles", "task-clock", "page-faults"},
                           fake.kernel());
  }
  Reading read(const Sample& sample) {
    now = sample;
    Reading reading;
    set.read(reading);
    return reading;
  }

  FakeKernel fake;
  Sample now;
  CounterSet set;
};

TEST_CASE("what was counted between two readings is their difference") {
  Machine machine;
  machine.fake.cpu_time = 1000;
  machine.fake.usage.minor_faults = 5;
  const Reading begin = machine.read({100, 500, 500});
  machine.fake.cpu_time = 4000;
  machine.fake.usage.minor_faults = 6;
  machine.fake.usage.major_faults = 2;
  const Reading end = machine.read({160, 900, 900});
  const Tally tally = difference(begin, end);
  CHECK(machine.set.counts(tally) == Counts{60.0, 120.0, 3000.0, 3.0});
  CHECK(machine.fake.reads() == 2);  // one for the whole group, twice
}

TEST_CASE("a count that shared its counter is corrected for the time it was off it") {
  Machine machine;
  const Reading begin = machine.read({1000, 100, 100});
  const Reading end = machine.read({1300, 1100, 350});
  const Counts counts = machine.set.counts(difference(begin, end));
  CHECK(counts[0].value() == doctest::Approx(300 * 1000.0 / 250.0));
  CHECK(counts[1].value() == doctest::Approx(600 * 1000.0 / 250.0));
}

TEST_CASE("an event that was on no counter has no count, never 0") {
  Machine machine;
  const Reading begin = machine.read({0, 0, 0});
  const Reading end = machine.read({0, 1000, 0});
  const Tally tally = difference(begin, end);
  CHECK(machine.set.counts(tally) == Counts{std::nullopt, std::nullopt, 0.0, 0.0});
}

TEST_CASE("a stretch in which no thread ran counts as 0") {
  Machine machine;
  const Reading begin = machine.read({7, 40, 40});
  const Counts counts = machine.set.counts(difference(begin, machine.read({7, 40, 40})));
  CHECK(counts[0] == 0.0);
}

TEST_CASE("stretches are added before they are corrected, so that a missed one does no harm") {
  Machine machine;
  Tally tally;
  const Reading first = machine.read({0, 0, 0});
  const Reading second = machine.read({0, 100, 0});  // off the counter
  const Reading third = machine.read({50, 200, 100});
  tally.add(first, second);
  CHECK_FALSE(machine.set.counts(tally)[0].has_value());
  tally.add(second, third);
  CHECK(machine.set.counts(tally)[0] == 100.0);
  tally.add(third, machine.read({150, 400, 200}));
  CHECK(machine.set.counts(tally)[0] == 300.0);  // 150 in half of the time
}

TEST_CASE("a stretch that could not be read is not forgotten when others can be") {
  Machine machine;
  const Reading good = machine.read({10, 10, 10});
  Reading bad = good;
  bad.lost = 1;
  const Reading later = machine.read({30, 30, 30});
  for (const auto& [begin, end] : {std::pair{bad, later}, std::pair{good, bad}}) {
    Tally tally = difference(begin, end);
    tally.add(good, later);
    CHECK_FALSE(machine.set.counts(tally)[0].has_value());
    CHECK(machine.set.counts(tally)[1].has_value());
  }
}

TEST_CASE("a counter that the program has closed is absent, and the program's file is left alone") {
  Machine machine;
  const Reading begin = machine.read({1, 10, 10});
  const int descriptor = machine.fake.opened().front().descriptor;
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  REQUIRE(::dup2(pipe[0], descriptor) == descriptor);  // closes the event
  REQUIRE(::write(pipe[1], "mine", 4) == 4);

  const Tally tally = difference(begin, machine.read({2, 20, 20}));
  CHECK_FALSE(machine.set.counts(tally)[0].has_value());
  CHECK_FALSE(machine.set.counts(tally)[1].has_value());
  CHECK(machine.set.counts(tally)[2].has_value());

  machine.set = CounterSet();
  std::array<char, 8> text{};
  CHECK(::read(descriptor, text.data(), text.size()) == 4);  // still open and still full
  for (const int file : {descriptor, pipe[0], pipe[1]}) ::close(file);
}

TEST_CASE("a group that lost a member is absent, since its counts do not show which one") {
  Machine machine;
  const Reading begin = machine.read({1, 10, 10});
  ::close(machine.fake.opened().back().descriptor);
  const Tally tally = difference(begin, machine.read({2, 20, 20}));
  CHECK_FALSE(machine.set.counts(tally)[0].has_value());
}

TEST_CASE("a counter that runs backwards is absent") {
  Machine machine;
  const Reading begin = machine.read({10, 10, 10});
  CHECK_FALSE(machine.set.counts(difference(begin, machine.read({9, 20, 20})))[0].has_value());
}

TEST_CASE("reading leaves errno as it was") {
  Machine machine;
  ::close(machine.fake.opened().front().descriptor);
  errno = ERANGE;
  machine.read({});
  CHECK(errno == ERANGE);
}

// A hybrid machine whose two kinds of cores show what the test sets.
struct HybridMachine {
  explicit HybridMachine(const Names& names) {
    fake.add_pmu("cpu_core", 4, {{"cpus", "0-3\n"}, {"events/stall", "config=0x99\n"}});
    fake.add_pmu("cpu_atom", 10, {{"cpus", "4-7\n"}});
    fake.show = [this](const EventRequest& request) {
      return request.code.type == 4 || request.code.config >> 32U == 4 ? core : atom;
    };
    set = CounterSet::open(names, fake.kernel());
    Reading reading;
    set.read(reading);
    begin = reading;
  }
  Counts counts() {
    Reading end;
    set.read(end);
    return set.counts(difference(begin, end));
  }

  FakeKernel fake;
  Sample core;
  Sample atom;
  CounterSet set;
  Reading begin;
};

TEST_CASE("time on the other kind of cores is not taken for time without a counter") {
  HybridMachine machine({"instructions"});
  machine.core = {900, 1000, 600};
  machine.atom = {200, 1000, 400};
  CHECK(machine.counts() == Counts{900.0, 200.0});
}

TEST_CASE("a program that stayed on one kind of cores counted 0 on the other") {
  HybridMachine machine({"instructions"});
  machine.core = {900, 1000, 1000};
  machine.atom = {0, 1000, 0};
  CHECK(machine.counts() == Counts{900.0, 0.0});
}

TEST_CASE("counters that were shared are corrected on both kinds of cores") {
  HybridMachine machine({"instructions"});
  machine.core = {900, 1000, 300};
  machine.atom = {200, 1000, 200};
  CHECK(machine.counts() == Counts{1800.0, 400.0});
  machine.core = machine.atom = {0, 1000, 0};
  CHECK(machine.counts() == Counts{std::nullopt, std::nullopt});
}

TEST_CASE("an event of one kind of cores is given as it was counted there") {
  HybridMachine machine({"cpu_core/stall/"});
  machine.core = {900, 1000, 500};
  CHECK(machine.counts() == Counts{900.0});
}

TEST_CASE("an empty set counts nothing and can be read") {
  const CounterSet set;
  Reading reading;
  set.read(reading);
  CHECK(reading.size == 0);
  CHECK(set.events().empty());
  CHECK(set.counts(difference(reading, reading)).empty());
}

}  // namespace
}  // namespace huddle::counters
