#include "profiles/hardware/counters/event_names.hpp"

#include <doctest/doctest.h>
#include <linux/perf_event.h>

#include "tests/profiles/hardware/counters/fake_kernel.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::counters {
namespace {

struct NamedEvents {
  explicit NamedEvents(bool hybrid = false) {
    if (hybrid) {
      fake.add_pmu("cpu_core", 4,
                   {{"cpus", "0-3\n"},
                    {"events/instructions", "event=0xc0\n"},
                    {"format/event", "config:0-7\n"}});
      fake.add_pmu("cpu_atom", 10, {{"cpus", "4-7\n"}});
    } else {
      fake.add_pmu("cpu", PERF_TYPE_RAW, {{"format/event", "config:0-7\n"}});
    }
    fake.add_pmu("uncore_imc_0", 17, {{"cpumask", "0\n"}, {"format/event", "config:0-7\n"}});
    fake.add_pmu("msr", 9, {{"events/tsc", "event=0x00\n"}, {"format/event", "config:0-63\n"}});
  }
  std::vector<Event> find(std::string_view name) {
    return find_event(name, PmuDirectory(fake.kernel().sysfs));
  }
  EventCode code(std::string_view name) { return find(name).at(0).code; }
  std::string complaint(std::string_view name) {
    return error_of([&] { find(name); });
  }

  FakeKernel fake;
};

TEST_CASE("generic events have the kernel's codes, by each of their names") {
  NamedEvents machine;
  CHECK(machine.code("instructions") ==
        EventCode{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, 0});
  CHECK(machine.code("cpu-cycles") == machine.code("cycles"));
  CHECK(machine.code("branches") == machine.code("branch-instructions"));
  CHECK(machine.code("idle-cycles-backend") == machine.code("stalled-cycles-backend"));
  CHECK(machine.find("cycles").front().source == Source::kCore);
  CHECK(machine.find("cycles").front().name == "cycles");
}

TEST_CASE("an event of a cache is made of the cache, what is done to it, and how it ends") {
  NamedEvents machine;
  const auto code = [](std::uint64_t cache, std::uint64_t operation, std::uint64_t result) {
    return EventCode{PERF_TYPE_HW_CACHE, cache | operation << 8U | result << 16U, 0, 0};
  };
  CHECK(machine.code("LLC-loads") == code(2, 0, 0));
  CHECK(machine.code("LLC-load-misses") == code(2, 0, 1));
  CHECK(machine.code("L1-dcache-stores") == code(0, 1, 0));
  CHECK(machine.code("L1-dcache-store-misses") == code(0, 1, 1));
  CHECK(machine.code("L1-icache-load-misses") == code(1, 0, 1));
  CHECK(machine.code("dTLB-load-misses") == code(3, 0, 1));
  CHECK(machine.code("node-prefetches") == code(6, 2, 0));
  CHECK(machine.code("branch-loads") == code(5, 0, 0));
  CHECK_FALSE(machine.complaint("LLC-lodas").empty());
  CHECK_FALSE(machine.complaint("LLC").empty());
}

TEST_CASE("the letter r and a hexadecimal number are a code of the processor") {
  NamedEvents machine;
  CHECK(machine.code("r01c2") == EventCode{PERF_TYPE_RAW, 0x1c2, 0, 0});
  CHECK(machine.code("rFFFFFFFFFFFFFFFF").config == ~std::uint64_t{0});
  for (const std::string_view name : {"r", "rx", "r1g", "r1FFFFFFFFFFFFFFFF", "r-1"})
    CHECK(machine.complaint(name) == "no event of this name is known");
}

TEST_CASE("events of the kernel are known as such, and by who counts them") {
  NamedEvents machine;
  CHECK(machine.find("task-clock").front().source == Source::kProcess);
  CHECK(machine.find("cs").front().count == ProcessCount::kContextSwitches);
  CHECK(machine.find("cs").front().name == "cs");
  CHECK(machine.find("cpu-clock").front().source == Source::kSoftware);
  CHECK_FALSE(machine.find("cpu-clock").front().in_kernel);
  CHECK(machine.find("migrations").front().in_kernel);
}

TEST_CASE("on a hybrid machine an event is one for each kind of cores, with its name in front") {
  NamedEvents machine(true);
  const auto events = machine.find("instructions");
  REQUIRE(events.size() == 2);
  CHECK(events[0].name == "cpu_core/instructions");
  CHECK(events[0].code.config == (std::uint64_t{4} << 32U | PERF_COUNT_HW_INSTRUCTIONS));
  CHECK(events[1].name == "cpu_atom/instructions");
  CHECK(events[1].code.config == (std::uint64_t{10} << 32U | PERF_COUNT_HW_INSTRUCTIONS));
  CHECK(events[1].asked == "instructions");
}

TEST_CASE("an event of one PMU is the one that /sys describes, else the generic one there") {
  NamedEvents hybrid(true);
  CHECK(hybrid.code("cpu_core/instructions/") == EventCode{4, 0xc0, 0, 0});
  CHECK(hybrid.code("cpu_atom/instructions/") ==
        EventCode{PERF_TYPE_HARDWARE, std::uint64_t{10} << 32U | PERF_COUNT_HW_INSTRUCTIONS, 0, 0});
  NamedEvents plain;
  CHECK(plain.code("cpu/LLC-loads/") == plain.code("LLC-loads"));
  CHECK(plain.code("cpu/event=0x3c/") == EventCode{PERF_TYPE_RAW, 0x3c, 0, 0});
  CHECK(plain.find("cpu/event=0x3c/").front().source == Source::kCore);
  CHECK(plain.find("msr/tsc/").front().source == Source::kOther);
  CHECK(plain.find("msr/tsc/").front().name == "msr/tsc/");
}

TEST_CASE("what means nothing is refused with the reason") {
  NamedEvents machine;
  CHECK(machine.complaint("uncore_imc_0/event=1/") ==
        "the PMU uncore_imc_0 can't tell what one process does");
  CHECK(machine.complaint("gpu/x/").find("this machine has no PMU \"gpu\"") == 0);
  CHECK(machine.complaint("../x/").find("this machine has no PMU \"..\"") == 0);
  CHECK(machine.complaint("../").find("not a name") == 0);
  CHECK(machine.complaint("cpu//") == "not a name such as pmu/event/");
  CHECK(machine.complaint("cpu/x") == "not a name such as pmu/event/");
  CHECK(machine.complaint("/x/").find("this machine has no PMU \"\"") == 0);
  CHECK(machine.complaint("cpu/x/y/") == "not a name such as pmu/event/");
  CHECK(machine.complaint("cpu/nothing/") ==
        "cpu/nothing/: PMU cpu: found \"nothing\", expected an event or a field that this PMU has");
}

}  // namespace
}  // namespace huddle::counters
