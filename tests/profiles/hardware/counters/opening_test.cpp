#include <doctest/doctest.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include <map>

#include "profiles/hardware/counters/counter_set.hpp"
#include "tests/profiles/hardware/counters/fake_kernel.hpp"

namespace huddle::counters {
namespace {

using Names = std::vector<std::string>;

CounterSet open(FakeKernel& fake, const Names& names) {
  return CounterSet::open(names, fake.kernel());
}

// The codes of the events in each group, in the order in which the groups were opened.
std::vector<std::vector<std::uint64_t>> groups(const FakeKernel& fake) {
  std::vector<std::vector<std::uint64_t>> groups;
  std::map<int, std::size_t> of_leader;
  for (const FakeKernel::Opened& event : fake.opened()) {
    if (event.request.leader < 0) {
      of_leader[event.descriptor] = groups.size();
      groups.push_back({event.request.code.config});
    } else {
      groups.at(of_leader.at(event.request.leader)).push_back(event.request.code.config);
    }
  }
  return groups;
}

std::string reason_of(const CounterSet& set, std::string_view event) {
  for (const AbsentEvent& absent : set.absent())
    if (absent.event == event) return absent.reason;
  return {};
}

TEST_CASE("instructions, cycles and the cache's events are in one group, whatever lies between") {
  FakeKernel fake;
  fake.add_pmu("cpu", PERF_TYPE_RAW);
  const CounterSet set = open(fake, {"branches", "cache-misses", "branch-misses", "instructions",
                                     "cycles", "cache-references"});
  CHECK(groups(fake) == std::vector<std::vector<std::uint64_t>>{
                            {PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_INSTRUCTIONS,
                             PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_CACHE_REFERENCES},
                            {PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_MISSES}});
  CHECK(set.events() == Names{"branches", "cache-misses", "branch-misses", "instructions", "cycles",
                              "cache-references"});
  CHECK(set.absent().empty());
  CHECK(set.hardware_absent_reason().empty());
}

TEST_CASE("what the processor can't count together is split into groups that it can") {
  FakeKernel fake;
  fake.add_pmu("cpu", PERF_TYPE_RAW);
  std::map<int, int> members;
  fake.refuse = [&](const EventRequest& request) {
    return request.leader >= 0 && ++members[request.leader] > 1 ? EINVAL : 0;
  };
  const CounterSet set =
      open(fake, {"instructions", "cycles", "cache-references", "cache-misses", "branches"});
  CHECK(groups(fake).size() == 3);
  CHECK(groups(fake).front().size() == 2);
  CHECK(set.events().size() == 5);
}

TEST_CASE("events of different PMUs are never in one group") {
  FakeKernel fake;
  fake.add_pmu("cpu", PERF_TYPE_RAW);
  fake.add_pmu("msr", 9, {{"events/tsc", "event=0x00\n"}, {"format/event", "config:0-63\n"}});
  const CounterSet set =
      open(fake, {"instructions", "msr/tsc/", "cpu-migrations", "r1c2", "cycles"});
  CHECK(groups(fake) == std::vector<std::vector<std::uint64_t>>{
                            {PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES, 0x1c2},
                            {0},
                            {PERF_COUNT_SW_CPU_MIGRATIONS}});
  CHECK(set.events() == Names{"instructions", "msr/tsc/", "cpu-migrations", "r1c2", "cycles"});
}

TEST_CASE(
    "all that happens in threads is counted, the kernel's part too, where that is permitted") {
  FakeKernel fake;
  fake.add_pmu("cpu", PERF_TYPE_RAW);
  const CounterSet set = open(fake, {"instructions"});
  REQUIRE(fake.opened().size() == 1);
  const EventRequest request = fake.opened().front().request;
  CHECK_FALSE(request.user_only);
  CHECK(request.threads_only);
  CHECK(request.group_read);
  CHECK_FALSE(set.user_space_only());
}

TEST_CASE("without privileges only user space is counted, and events of the kernel are absent") {
  FakeKernel fake;
  fake.add_pmu("cpu", PERF_TYPE_RAW);
  fake.set_paranoid(2);
  fake.refuse = [](const EventRequest& request) { return request.user_only ? 0 : EACCES; };
  fake.usage.context_switches = 7;
  const CounterSet set = open(fake, {"instructions", "cpu-migrations", "context-switches"});
  CHECK(set.user_space_only());
  CHECK(set.events() == Names{"instructions", "context-switches"});
  CHECK(reason_of(set, "cpu-migrations") ==
        "perf_event_paranoid is 2: what happens in the kernel needs 1 or less (as root: sysctl "
        "kernel.perf_event_paranoid=1)");
  Reading reading;
  set.read(reading);
  CHECK(reading.samples[1].value == 7);
}

TEST_CASE("a kernel that can't leave forked processes out still counts") {
  FakeKernel fake;
  fake.add_pmu("cpu", PERF_TYPE_RAW);
  fake.refuse = [](const EventRequest& request) { return request.threads_only ? EINVAL : 0; };
  const CounterSet set = open(fake, {"instructions", "cycles"});
  CHECK(set.events().size() == 2);
  CHECK(fake.opened().front().request.group_read);
}

TEST_CASE("a kernel that can't read inherited groups at once has each member read by itself") {
  FakeKernel fake;
  fake.add_pmu("cpu", PERF_TYPE_RAW);
  fake.refuse = [](const EventRequest& request) {
    return request.threads_only || request.group_read ? EINVAL : 0;
  };
  fake.show = [](const EventRequest& request) { return Sample{10 + request.code.config, 100, 50}; };
  const CounterSet set = open(fake, {"instructions", "cycles"});
  REQUIRE(groups(fake).size() == 1);
  Reading reading;
  set.read(reading);
  CHECK(fake.reads() == 2);
  CHECK(reading.lost == 0);
  CHECK(reading.samples[0].value == 10 + PERF_COUNT_HW_INSTRUCTIONS);
  CHECK(reading.samples[1].value == 10 + PERF_COUNT_HW_CPU_CYCLES);
  CHECK(reading.samples[1].running_ns == 50);
}

TEST_CASE("threads that are there already are counted as well, those that just ended are not") {
  FakeKernel fake;
  fake.add_pmu("cpu", PERF_TYPE_RAW);
  fake.add_thread(::gettid());
  fake.add_thread(900001);
  fake.add_thread(900002);
  fake.refuse = [](const EventRequest& request) { return request.thread == 900002 ? ESRCH : 0; };
  fake.show = [](const EventRequest& request) {
    return request.thread == 0 ? Sample{5, 100, 100} : Sample{70, 10, 5};
  };
  const CounterSet set = open(fake, {"instructions", "cycles", "task-clock"});
  CHECK(fake.opened().size() == 4);
  Reading reading;
  set.read(reading);
  for (const std::size_t i : {0U, 1U}) {
    CHECK(reading.samples[i].value == 75);
    CHECK(reading.samples[i].enabled_ns == 110);
    CHECK(reading.samples[i].running_ns == 105);
  }
}

TEST_CASE("events that can't be counted for all threads are counted for none") {
  FakeKernel fake;
  fake.add_pmu("cpu", PERF_TYPE_RAW);
  fake.add_thread(900001);
  fake.refuse = [](const EventRequest& request) {
    const bool is_cycles =
        request.code == EventCode{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0};
    return request.thread == 900001 && is_cycles ? EMFILE : 0;
  };
  const CounterSet set = open(fake, {"instructions", "cycles", "cpu-clock", "task-clock"});
  CHECK(set.events() == Names{"cpu-clock", "task-clock"});
  CHECK(reason_of(set, "instructions").find("no file descriptor is left") == 0);
  CHECK(reason_of(set, "cycles") == reason_of(set, "instructions"));
  CHECK(set.hardware_absent_reason() == reason_of(set, "instructions"));
  CHECK(fake.open_now() == 2);
}

TEST_CASE("a program with a great many threads keeps its descriptors") {
  FakeKernel fake;
  fake.add_pmu("cpu", PERF_TYPE_RAW);
  fake.most_descriptors = 10;
  for (pid_t thread = 900001; thread <= 900005; ++thread) fake.add_thread(thread);
  const CounterSet set = open(fake, {"instructions", "cycles", "task-clock"});
  CHECK(set.events() == Names{"task-clock"});
  CHECK(reason_of(set, "cycles") ==
        "the program has 6 threads already, and 10 file descriptors are too few for their counters "
        "(raise ulimit -n)");
  CHECK(fake.open_now() == 0);
}

TEST_CASE("a hybrid machine counts a generic event once for each kind of its cores") {
  FakeKernel fake;
  fake.add_pmu("cpu_core", 4, {{"cpus", "0-3\n"}});
  fake.add_pmu("cpu_atom", 10, {{"cpus", "4-7\n"}});
  fake.add_pmu("uncore_imc_0", 17, {{"cpumask", "0\n"}});
  const CounterSet set = open(fake, {"instructions", "LLC-loads", "r1c2", "cycles"});
  CHECK(set.events() == Names{"cpu_core/instructions", "cpu_atom/instructions",
                              "cpu_core/LLC-loads", "cpu_atom/LLC-loads", "cpu_core/r1c2",
                              "cpu_atom/r1c2", "cpu_core/cycles", "cpu_atom/cycles"});
  const std::uint64_t core = std::uint64_t{4} << 32U;
  const std::uint64_t atom = std::uint64_t{10} << 32U;
  CHECK(groups(fake) == std::vector<std::vector<std::uint64_t>>{
                            {core | PERF_COUNT_HW_INSTRUCTIONS, core | PERF_COUNT_HW_CPU_CYCLES,
                             core | PERF_COUNT_HW_CACHE_LL, 0x1c2},
                            {atom | PERF_COUNT_HW_INSTRUCTIONS, atom | PERF_COUNT_HW_CPU_CYCLES,
                             atom | PERF_COUNT_HW_CACHE_LL, 0x1c2}});
  std::map<std::uint64_t, std::uint32_t> raw_types;
  for (const auto& event : fake.opened())
    if (event.request.code.config == 0x1c2) ++raw_types[event.request.code.type];
  CHECK(raw_types == std::map<std::uint64_t, std::uint32_t>{{4, 1}, {10, 1}});
}

TEST_CASE("an event that one kind of cores lacks is absent there only") {
  FakeKernel fake;
  fake.add_pmu("cpu_core", 4, {{"cpus", "0-3\n"}});
  fake.add_pmu("cpu_atom", 10, {{"cpus", "4-7\n"}});
  fake.refuse = [](const EventRequest& request) {
    return request.code.type == PERF_TYPE_HW_CACHE && request.code.config >> 32U == 10 ? ENOENT : 0;
  };
  const CounterSet set = open(fake, {"LLC-loads"});
  CHECK(set.events() == Names{"cpu_core/LLC-loads"});
  CHECK(reason_of(set, "cpu_atom/LLC-loads") == "cpu_atom has no such event");
  CHECK(set.hardware_absent_reason().empty());
}

TEST_CASE("no more events are counted than a reading has room for") {
  FakeKernel fake;
  fake.add_pmu("cpu_core", 4, {{"cpus", "0-3\n"}});
  fake.add_pmu("cpu_atom", 10, {{"cpus", "4-7\n"}});
  Names names;
  for (std::size_t i = 0; i < kMostEvents; ++i) names.push_back("r" + std::to_string(i));
  const CounterSet set = open(fake, names);
  CHECK(set.events().size() == kMostEvents);
  CHECK(set.absent().size() == kMostEvents);
  CHECK(reason_of(set, "cpu_atom/r23") == "at most 24 events are counted");
}

TEST_CASE("a wrong name is an absent event and disturbs no other") {
  FakeKernel fake;
  fake.add_pmu("cpu", PERF_TYPE_RAW, {{"format/event", "config:0-7\n"}});
  const CounterSet set = open(fake, {"instrucsions", "cpu/event=0x1ff/", "cycles"});
  CHECK(set.events() == Names{"cycles"});
  CHECK(reason_of(set, "instrucsions") == "no event of this name is known");
  CHECK(reason_of(set, "cpu/event=0x1ff/") ==
        "cpu/event=0x1ff/: field event: found 0x1ff, expected a value of 8 bits");
  for (const AbsentEvent& absent : set.absent()) CHECK(absent.ranks == 1);
}

TEST_CASE("closing a set closes all that it opened, and moving it keeps that open") {
  FakeKernel fake;
  fake.add_pmu("cpu", PERF_TYPE_RAW);
  {
    CounterSet set = open(fake, {"instructions", "cycles", "branches", "r1", "r2"});
    CHECK(fake.open_now() == 5);
    CounterSet moved = std::move(set);
    CHECK(fake.open_now() == 5);
    Reading reading;
    moved.read(reading);
    CHECK(reading.size == 5);
  }
  CHECK(fake.open_now() == 0);
}

TEST_CASE("what the system counts anyway takes no descriptor") {
  FakeKernel fake;
  fake.refuse = [](const EventRequest&) -> int {
    FAIL("an event was opened");
    return EPERM;
  };
  const CounterSet set = open(fake, {"task-clock", "page-faults"});
  CHECK(set.events().size() == 2);
  CHECK(set.hardware_absent_reason() == "no hardware counters were asked for");
}

}  // namespace
}  // namespace huddle::counters
