#include "profiles/traces/counters.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/traces/odd_archive.hpp"

namespace huddle {
namespace {

// What a visitor sees, a line for each.
class SeenByVisitor : public CounterVisitor {
 public:
  void event(const Event& event) override {
    text += fmt::format("{} {}\n", event.time, event.kind == EventKind::kEnter ? "enter" : "leave");
  }
  void counted(std::uint64_t time, std::span<const CounterValue> values) override {
    text += fmt::format("{}", time);
    for (const CounterValue& value : values)
      text += fmt::format(" {}={}", value.counter, value.value());
    text += "\n";
  }
  std::string text;
};

OTF2_MetricValue whole(std::uint64_t value) {
  OTF2_MetricValue made;
  made.unsigned_int = value;
  return made;
}
OTF2_MetricValue real(double value) {
  OTF2_MetricValue made;
  made.floating_point = value;
  return made;
}

void define_member(OddArchive& archive, std::uint32_t id, const std::string& name,
                   OTF2_MetricMode mode, OTF2_Type type, const std::string& unit,
                   std::int64_t exponent = 0) {
  OTF2_GlobalDefWriter_WriteMetricMember(archive.definitions(), id, archive.text(name),
                                         archive.text(""), OTF2_METRIC_TYPE_PAPI, mode, type,
                                         OTF2_BASE_DECIMAL, exponent, archive.text(unit));
}

void define_class(OddArchive& archive, std::uint32_t id, std::vector<std::uint32_t> members,
                  OTF2_MetricOccurrence occurrence) {
  OTF2_GlobalDefWriter_WriteMetricClass(archive.definitions(), id,
                                        static_cast<std::uint8_t>(members.size()), members.data(),
                                        occurrence, OTF2_RECORDER_KIND_CPU);
}

}  // namespace

TEST_CASE("counters come with the events that they were read at, before those of their time") {
  const TemporaryDirectory directory;
  OddArchive archive(directory.path() / "t");
  OTF2_EvtWriter* events = archive.events(0);
  const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE};
  const auto count = [&](std::uint64_t time, std::uint64_t cycles, double joules) {
    const OTF2_MetricValue values[] = {whole(cycles), real(joules)};
    OTF2_EvtWriter_Metric(events, nullptr, time, 7, 2, types, values);
  };
  count(10, 1000, 0.5);
  OTF2_EvtWriter_Enter(events, nullptr, 10, 0);
  count(20, std::uint64_t{1} << 60U, 0.75);
  OTF2_EvtWriter_Leave(events, nullptr, 20, 0);
  archive.define_ranks(1);
  archive.define_region(0, "f", OTF2_PARADIGM_USER);
  define_member(archive, 3, "PAPI_TOT_CYC", OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64, "#");
  define_member(archive, 4, "energy", OTF2_METRIC_ACCUMULATED_LAST, OTF2_TYPE_DOUBLE, "J", 3);
  define_class(archive, 7, {3, 4}, OTF2_METRIC_SYNCHRONOUS_STRICT);
  const auto trace = open_otf2_counters(archive.finish());
  REQUIRE(trace->counters().size() == 2);
  CHECK(trace->counters()[0].name == "PAPI_TOT_CYC");
  CHECK(trace->counters()[0].at_each_region);
  CHECK(trace->counters()[1].unit == "J");
  CHECK(trace->counters_of_others() == 0);
  SeenByVisitor lines;
  trace->visit(0, lines);
  CHECK(lines.text == "10 0=1000 1=500\n10 enter\n20 0=1.152921504606847e+18 1=750\n20 leave\n");
}

TEST_CASE("values are levels or amounts as their counter says, and what is no number is left out") {
  const TemporaryDirectory directory;
  OddArchive archive(directory.path() / "t");
  OTF2_EvtWriter* events = archive.events(0);
  const OTF2_Type type = OTF2_TYPE_DOUBLE;
  const std::array<OTF2_MetricValue, 2> values = {real(std::nan("")), real(40)};
  OTF2_EvtWriter_Metric(events, nullptr, 5, 1, 1, &type, &values[0]);
  OTF2_EvtWriter_Metric(events, nullptr, 6, 1, 1, &type, &values[1]);
  OTF2_EvtWriter_Metric(events, nullptr, 7, 99, 1, &type, &values[1]);
  archive.define_ranks(1);
  define_member(archive, 0, "temperature", OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_DOUBLE, "C");
  define_member(archive, 1, "pages", OTF2_METRIC_RELATIVE_LAST, OTF2_TYPE_DOUBLE, "#");
  define_class(archive, 1, {0}, OTF2_METRIC_ASYNCHRONOUS);
  define_class(archive, 2, {1}, OTF2_METRIC_SYNCHRONOUS);
  define_class(archive, 3, {1, 44}, OTF2_METRIC_SYNCHRONOUS);  // of one that is not defined
  const auto trace = open_otf2_counters(archive.finish());
  REQUIRE(trace->counters().size() == 2);
  CHECK(trace->counters()[0].mode == TraceCounter::Mode::kLevel);
  CHECK(trace->counters()[1].mode == TraceCounter::Mode::kSinceLast);
  CHECK_FALSE(trace->counters()[0].at_each_region);
  SeenByVisitor lines;
  trace->visit(0, lines);
  CHECK(lines.text == "6 0=40\n");
}

TEST_CASE("a set may have as many counters as a record holds") {
  constexpr std::uint8_t kMost = 255;
  const TemporaryDirectory directory;
  OddArchive archive(directory.path() / "t");
  OTF2_EvtWriter* events = archive.events(0);
  const std::vector<OTF2_Type> types(kMost, OTF2_TYPE_UINT64);
  std::vector<OTF2_MetricValue> values;
  std::vector<std::uint32_t> members;
  for (std::uint32_t i = 0; i < kMost; ++i) {
    members.push_back(i);
    values.push_back(whole(0x7fff'ffff'ffff'0000 + i));  // of most bytes
  }
  OTF2_EvtWriter_Metric(events, nullptr, 5, 1, kMost, types.data(), values.data());
  OTF2_EvtWriter_Enter(events, nullptr, 6, 0);
  archive.define_ranks(1);
  archive.define_region(0, "f", OTF2_PARADIGM_USER);
  for (const std::uint32_t member : members)
    define_member(archive, member, fmt::format("counter {}", member), OTF2_METRIC_ACCUMULATED_START,
                  OTF2_TYPE_UINT64, "#");
  define_class(archive, 1, members, OTF2_METRIC_SYNCHRONOUS_STRICT);
  const auto trace = open_otf2_counters(archive.finish());
  SeenByVisitor lines;
  trace->visit(0, lines);
  CHECK(std::ranges::count(lines.text, '=') == kMost);
  CHECK(lines.text.ends_with("\n6 enter\n"));
}

TEST_CASE("many instances of a class are one set, and a file can't ask for millions of counters") {
  const TemporaryDirectory directory;
  OddArchive archive(directory.path() / "t");
  archive.events(0);
  archive.define_ranks(1);
  define_member(archive, 0, "time", OTF2_METRIC_ABSOLUTE_LAST, OTF2_TYPE_DOUBLE, "s");
  const std::vector<std::uint32_t> same(255, 0);
  for (std::uint32_t id = 1; id <= 100; ++id)
    define_class(archive, id, same, OTF2_METRIC_SYNCHRONOUS);
  for (std::uint32_t id = 1000; id < 1010; ++id)
    OTF2_GlobalDefWriter_WriteMetricInstance(archive.definitions(), id, 1, 0, OTF2_SCOPE_LOCATION,
                                             0);
  const auto trace = open_otf2_counters(archive.finish());
  CHECK(trace->counters().size() == 10'000 / 255 * 255);
  CHECK(trace->counters()[0].mode == TraceCounter::Mode::kLevelBefore);
  CHECK(trace->counters()[254].set == 0);
  CHECK(trace->counters()[255].set == 1);
}

TEST_CASE("counters of a node or of a process belong to no location") {
  const TemporaryDirectory directory;
  OddArchive archive(directory.path() / "t");
  archive.events(0);
  archive.define_ranks(1);
  define_member(archive, 0, "watts", OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_DOUBLE, "W");
  define_class(archive, 1, {0}, OTF2_METRIC_ASYNCHRONOUS);
  OTF2_GlobalDefWriter_WriteMetricInstance(archive.definitions(), 9, 1, 0,
                                           OTF2_SCOPE_LOCATION_GROUP, 0);
  const auto trace = open_otf2_counters(archive.finish());
  CHECK(trace->counters().empty());
  CHECK(trace->counters_of_others() == 1);
}

TEST_CASE("differences of large whole numbers are exact") {
  CounterValue earlier;
  earlier.bits = (std::uint64_t{1} << 60U) + 1;
  CounterValue later = earlier;
  later.bits += 3;
  CHECK(amount_between(earlier, later) == 3);
  later.bits = earlier.bits - 2;
  CHECK(amount_between(earlier, later) == -2);
}

}  // namespace huddle
