#include "profiles/hardware/counters/refusal.hpp"

#include <doctest/doctest.h>
#include <errno.h>
#include <linux/perf_event.h>

#include <utility>

#include "profiles/hardware/counters/counter_set.hpp"
#include "profiles/hardware/counters/event_names.hpp"
#include "tests/profiles/hardware/counters/fake_kernel.hpp"

namespace huddle::counters {
namespace {

using Names = std::vector<std::string>;

// Why there are no hardware counters if the kernel refuses every event with `error`.
std::string reason_if_all_fail(int error, FakeKernel& fake) {
  fake.refuse = [error](const EventRequest&) { return error; };
  const CounterSet set = CounterSet::open(default_events(), fake.kernel());
  CHECK(set.events() == Names{"task-clock", "page-faults", "context-switches"});
  CHECK(fake.open_now() == 0);
  for (const AbsentEvent& absent : set.absent())
    CHECK(absent.reason == set.hardware_absent_reason());
  CHECK(set.absent().size() == 4);
  return set.hardware_absent_reason();
}

TEST_CASE("Debian's strict setting is named with its value and its remedy") {
  for (const int error : {EACCES, EPERM}) {
    FakeKernel fake;
    fake.set_paranoid(3);
    CHECK(reason_if_all_fail(error, fake) ==
          "perf_event_paranoid is 3: counters need 2 or less (as root: sysctl "
          "kernel.perf_event_paranoid=2)");
  }
}

TEST_CASE("a refusal that the setting does not explain points to the container") {
  FakeKernel fake;
  fake.set_paranoid(2);
  CHECK(reason_if_all_fail(EPERM, fake) ==
        "perf_event_open is not permitted (Operation not permitted), though perf_event_paranoid is "
        "2: probably by a container's seccomp filter or a security module (allow the call there, "
        "or grant CAP_PERFMON)");
  FakeKernel without_proc;
  CHECK(reason_if_all_fail(EACCES, without_proc) ==
        "perf_event_open is not permitted (Permission denied): probably by a container's seccomp "
        "filter or a security module (allow the call there, or grant CAP_PERFMON)");
}

TEST_CASE("a kernel without counters, a lack of descriptors and other failures are distinguished") {
  const std::pair<int, std::string> cases[] = {
      {ENOSYS,
       "this system has no perf_event_open: a kernel without CONFIG_PERF_EVENTS, or a container "
       "that hides the call"},
      {EMFILE, "no file descriptor is left for counters (Too many open files): raise ulimit -n"},
      {ENOMEM, "perf_event_open failed: Cannot allocate memory"},
      {EINVAL, "perf_event_open failed: Invalid argument"},
  };
  for (const auto& [error, reason] : cases) {
    FakeKernel fake;
    CHECK(reason_if_all_fail(error, fake) == reason);
  }
}

TEST_CASE("a machine that has no counters for its cores says so, and not that events are unknown") {
  for (const int error : {ENOENT, ENODEV, EOPNOTSUPP}) {
    FakeKernel fake;
    fake.add_pmu("software", PERF_TYPE_SOFTWARE);
    fake.refuse = [error](const EventRequest& request) {
      return request.code.type == PERF_TYPE_SOFTWARE ? 0 : error;
    };
    const CounterSet set = CounterSet::open(Names{"instructions", "cpu-clock"}, fake.kernel());
    CHECK(set.events() == Names{"cpu-clock"});
    CHECK(set.hardware_absent_reason() ==
          "this machine offers no hardware counters (a virtual machine?)");
  }
}

TEST_CASE("a single event is refused by whoever lacks it") {
  const std::pair<int, std::string> cases[] = {
      {ENOENT, "this processor has no such event"},
      {EINVAL, "this processor can't count this event for one process (or has no such code)"},
      {EOPNOTSUPP, "this processor can't count this event in the way that was asked for"},
      {EBUSY, "this processor is used by another tool alone"},
      {EMFILE, "no file descriptor is left for counters (Too many open files): raise ulimit -n"},
  };
  for (const auto& [error, reason] : cases) {
    FakeKernel fake;
    fake.add_pmu("cpu", PERF_TYPE_RAW);
    fake.refuse = [e = error](const EventRequest& request) {
      return request.code.config == PERF_COUNT_HW_CACHE_MISSES && request.code.type == 0 ? e : 0;
    };
    const CounterSet set = CounterSet::open(Names{"cycles", "cache-misses"}, fake.kernel());
    CHECK(set.events() == Names{"cycles"});
    REQUIRE(set.absent().size() == 1);
    CHECK(set.absent().front().reason == reason);
    CHECK(set.hardware_absent_reason().empty());
  }
}

TEST_CASE("a PMU that can't separate user space from the kernel needs the right to count both") {
  FakeKernel fake;
  fake.set_paranoid(2);
  fake.add_pmu("msr", 9, {{"events/tsc", "event=0x00\n"}, {"format/event", "config:0-63\n"}});
  fake.refuse = [](const EventRequest& request) {
    if (!request.user_only) return EACCES;
    return request.code.type == 9 ? EINVAL : 0;
  };
  const CounterSet set = CounterSet::open(Names{"msr/tsc/"}, fake.kernel());
  REQUIRE(set.absent().size() == 1);
  CHECK(set.absent().front().reason ==
        "msr can't leave the kernel's part out, and perf_event_paranoid is 2: what happens in the "
        "kernel needs 1 or less (as root: sysctl kernel.perf_event_paranoid=1)");
}

}  // namespace
}  // namespace huddle::counters
