#include "profiles/hardware/counters/pmu.hpp"

#include <doctest/doctest.h>

#include "tests/profiles/hardware/counters/fake_kernel.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::counters {
namespace {

EventCode put(std::string_view field, std::uint64_t value) {
  EventCode code;
  PmuField::parse(field, "format").put(value, code);
  return code;
}

TEST_CASE("a field's value goes to the bits that the PMU names, the lowest first") {
  CHECK(put("config:0-7", 0xab).config == 0xab);
  CHECK(put("config:8-15", 0xab).config == 0xab00);
  CHECK(put("config:0-7,32-35", 0xfab) == EventCode{0, 0xf000000ab, 0, 0});
  CHECK(put("config:21", 1).config == 1U << 21U);
  CHECK(put("config1:0-63", ~std::uint64_t{0}).config1 == ~std::uint64_t{0});
  CHECK(put("config2:63", 1).config2 == std::uint64_t{1} << 63U);
  CHECK(put("config:4,0-3", 0x1f).config == 0x1f);
  CHECK(put("config:4,0-3", 0x1).config == 0x10);
}

TEST_CASE("a field takes as many bits as it has") {
  const PmuField field = PmuField::parse("config:0-7,32-35", "format");
  CHECK(field.width() == 12);
  CHECK(field.takes(0xfff));
  CHECK_FALSE(field.takes(0x1000));
  CHECK(PmuField::parse("config:0-63", "format").takes(~std::uint64_t{0}));
}

TEST_CASE("what is not a field is refused") {
  for (const std::string_view text :
       {"", "config", "config:", "config:x", "config:64", "config:7-0", "config:0-7,", "config:0-",
        "config9:0-7", "attr:1", "config:0-63,0", ":1", "config:-1"}) {
    CAPTURE(text);
    CHECK(error_of<FormatError>([&] {
            PmuField::parse(text, "format/event");
          }).find("format/event: the field: found ") == 0);
  }
}

struct MachineOfPmus {
  MachineOfPmus() {
    fake.add_pmu("cpu", 4,
                 {{"format/event", "config:0-7\n"},
                  {"format/umask", "config:8-15\n"},
                  {"format/inv", "config:23\n"},
                  {"format/ldlat", "config1:0-15\n"},
                  {"format/odd", "config3:0-15\n"},
                  {"events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n"},
                  {"events/broken", "event=?\n"},
                  {"events/endless", "endless\n"}});
  }
  EventCode encode(std::string_view terms) {
    return PmuDirectory(fake.kernel().sysfs).find("cpu").encode(terms);
  }
  std::string complaint(std::string_view terms) {
    return error_of<FormatError>([&] { encode(terms); });
  }
  FakeKernel fake;
};

TEST_CASE("terms are fields with values, flags, and names of events") {
  MachineOfPmus machine;
  CHECK(machine.encode("event=0x3c,umask=1") == EventCode{4, 0x13c, 0, 0});
  CHECK(machine.encode("event=60,inv") == EventCode{4, 0x3c | 1U << 23U, 0, 0});
  CHECK(machine.encode("mem-loads") == EventCode{4, 0x1cd, 3, 0});
  CHECK(machine.encode("mem-loads,ldlat=30") == EventCode{4, 0x1cd, 30, 0});
  CHECK(machine.encode("config=0x1ff,config1=2,config2=3") == EventCode{4, 0x1ff, 2, 3});
}

TEST_CASE("wrong terms are named, with the file they come from") {
  MachineOfPmus machine;
  CHECK(machine.complaint("event=0x100") ==
        "cpu/event=0x100/: field event: found 0x100, expected a value of 8 bits");
  CHECK(machine.complaint("event=x") ==
        "cpu/event=x/: field event: found x, expected a number such as 60 or 0x3c");
  CHECK(machine.complaint("event=").find("field event: found , expected a number") !=
        std::string::npos);
  CHECK(machine.complaint("nothing=1").find("found \"nothing\", expected an event or a field") !=
        std::string::npos);
  CHECK(machine.complaint("../type").find("found \"../type\"") != std::string::npos);
  CHECK(machine.complaint("broken").find(
            "events/broken: field event: found ?, expected a number") != std::string::npos);
  CHECK(machine.complaint("endless").find("found \"endless\"") != std::string::npos);
  CHECK(machine.complaint("odd=1").find("format/odd: the field: found config3:0-15") !=
        std::string::npos);
}

TEST_CASE("a machine's kinds of cores are found by what the kernel writes about them") {
  FakeKernel fake;
  CHECK(PmuDirectory(fake.kernel().sysfs).core_pmus().empty());
  fake.add_pmu("software", 1);
  fake.add_pmu("uncore_cbox_0", 12, {{"cpumask", "0\n"}});
  CHECK(PmuDirectory(fake.kernel().sysfs).core_pmus().empty());
  fake.add_pmu("armv8_pmuv3_1", 9, {{"cpus", "4-7\n"}});
  CHECK_FALSE(PmuDirectory(fake.kernel().sysfs).is_hybrid());
  fake.add_pmu("armv8_pmuv3_0", 8, {{"cpus", "0-3\n"}});
  const PmuDirectory pmus(fake.kernel().sysfs);
  CHECK(pmus.is_hybrid());
  REQUIRE(pmus.core_pmus().size() == 2);
  CHECK(pmus.core_pmus().front().name() == "armv8_pmuv3_0");
  CHECK(pmus.core_pmus().front().type() == 8);
  CHECK(pmus.find("uncore_cbox_0").is_shared());
  CHECK_FALSE(pmus.find("armv8_pmuv3_0").is_shared());
  fake.add_pmu("cpum_cf", 20, {{"cpumask", "0-7\n"}});
  CHECK_FALSE(pmus.find("cpum_cf").is_shared());
}

}  // namespace
}  // namespace huddle::counters
