#include <doctest/doctest.h>
#include <otf2/otf2.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "profiles/traces/trace.hpp"
#include "profiles/traces/write/trace_writer.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/traces/sample_trace.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::traces {
namespace {

std::vector<TracePower> some_power(const TraceDefinitions& definitions) {
  return {{definitions.ranks[0].node, "package-0", 0, {{0, 80}, {100, 81.5}, {200, 0}}},
          {definitions.ranks[0].node, "package-1", 0, {{0, 70}, {150, 1e6}}},
          {definitions.ranks[1].node, "node", 1, {{50, 200.25}}}};
}

void write_with(const std::filesystem::path& folder, const std::vector<TracePower>& power) {
  const SampleTrace trace = sample_trace();
  TraceWriter writer(folder, trace.definitions);
  for (std::uint32_t location = 0; location < trace.events.size(); ++location)
    writer.write(location, trace.events[location]);
  writer.finish(power);
}

// The findings of OTF2's own reader: the number of metric events, and the sum of their values.
struct Found {
  std::uint64_t events = 0;
  double sum = 0;
};

OTF2_CallbackCode take_metric(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user,
                              OTF2_AttributeList*, OTF2_MetricRef, std::uint8_t number,
                              const OTF2_Type* types, const OTF2_MetricValue* values) {
  auto& found = *static_cast<Found*>(user);
  ++found.events;
  CHECK(number == 1);
  CHECK(types[0] == OTF2_TYPE_DOUBLE);
  found.sum += values[0].floating_point;
  return OTF2_CALLBACK_SUCCESS;
}

Found read_by_otf2(const std::filesystem::path& anchor, std::uint64_t location) {
  Found found;
  OTF2_Reader* const reader = OTF2_Reader_Open(anchor.c_str());
  REQUIRE(reader != nullptr);
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  OTF2_Reader_SelectLocation(reader, location);
  OTF2_Reader_OpenEvtFiles(reader);
  OTF2_GlobalDefReader* const definitions = OTF2_Reader_GetGlobalDefReader(reader);
  std::uint64_t read = 0;
  OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
  OTF2_EvtReader* const events = OTF2_Reader_GetEvtReader(reader, location);
  REQUIRE(events != nullptr);
  OTF2_EvtReaderCallbacks* const callbacks = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetMetricCallback(callbacks, take_metric);
  OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, &found);
  OTF2_Reader_ReadAllLocalEvents(reader, events, &read);
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  OTF2_Reader_Close(reader);
  return found;
}

}  // namespace

TEST_CASE("power is read from a trace as it was written, and its locations are no threads") {
  const store::TemporaryDirectory directory;
  const SampleTrace sample = sample_trace();
  const std::vector<TracePower> power = some_power(sample.definitions);
  write_with(directory.path() / "t", power);
  const auto trace = open_otf2(directory.path() / "t");
  CHECK(trace->power() == power);
  CHECK(trace->definitions().locations.size() == sample.definitions.locations.size());
  CHECK(trace->definitions().remarks == sample.definitions.remarks);
}

TEST_CASE("OTF2's own reader finds the same metrics") {
  const store::TemporaryDirectory directory;
  write_with(directory.path() / "t", some_power(sample_trace().definitions));
  const std::uint64_t first = std::uint64_t{0x7fffffff} << 32U;
  const Found found = read_by_otf2(directory.path() / "t/traces.otf2", first);
  CHECK(found.events == 5);
  CHECK(found.sum == doctest::Approx(80 + 81.5 + 70 + 1e6));
  CHECK(read_by_otf2(directory.path() / "t/traces.otf2", first + 1).sum == 200.25);
}

TEST_CASE("a trace without power has none") {
  const store::TemporaryDirectory directory;
  write_with(directory.path() / "t", {});
  CHECK(open_otf2(directory.path() / "t")->power().empty());
}

TEST_CASE("power that can't be is refused when it is written, and passed over when it is read") {
  const store::TemporaryDirectory directory;
  const std::string node = sample_trace().definitions.ranks[0].node;
  CHECK_THROWS_AS(write_with(directory.path() / "a", {{node, "x", 4711, {{0, 1}}}}), Error);
  CHECK_THROWS_AS(write_with(directory.path() / "b", {{node, "x", 0, {{2, 1}, {1, 1}}}}), Error);
  CHECK(directory.entries() == 0);
  write_with(
      directory.path() / "c",
      {{node,
        "x",
        0,
        {{1, -1}, {2, std::nan("")}, {3, std::numeric_limits<double>::infinity()}, {4, 5}}}});
  const auto power = open_otf2(directory.path() / "c")->power();
  REQUIRE(power.size() == 1);
  CHECK(power[0].samples == std::vector<TracePower::Sample>{{4, 5}});
}

TEST_CASE("power whose file is gone or damaged: the rest of the trace is read") {
  const store::TemporaryDirectory directory;
  write_with(directory.path() / "t", some_power(sample_trace().definitions));
  const std::string file =
      (directory.path() / "t/traces" / (std::to_string(std::uint64_t{0x7fffffff} << 32U) + ".evt"))
          .string();
  store::put_file(file, "garbage");
  const auto trace = open_otf2(directory.path() / "t");
  CHECK_THROWS_AS(trace->power(), FormatError);
  std::filesystem::remove(file);
  CHECK(trace->power()[0].samples.empty());
  CHECK(trace->power()[2].samples.size() == 1);
}

}  // namespace huddle::traces
