#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <string>
#include <vector>

#include "profiles/traces/trace.hpp"
#include "profiles/traces/write/trace_writer.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/traces/event_text.hpp"
#include "tests/profiles/traces/sample_trace.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::traces {
namespace {

std::filesystem::path written(const std::filesystem::path& folder, const SampleTrace& trace) {
  TraceWriter writer(folder, trace.definitions);
  for (std::uint32_t location = 0; location < trace.events.size(); ++location)
    writer.write(location, trace.events[location]);
  writer.finish();
  return folder;
}

}  // namespace

TEST_CASE("what was written is read back") {
  const store::TemporaryDirectory directory;
  const SampleTrace trace = sample_trace();
  const auto read = open_otf2(written(directory.path() / "t", trace));
  TraceDefinitions definitions = read->definitions();
  // OTF2 has groups for communicators, too.
  REQUIRE(definitions.groups.size() > trace.definitions.groups.size());
  definitions.groups.resize(trace.definitions.groups.size());
  CHECK(text_of(definitions) == text_of(trace.definitions));
  CHECK(definitions.remarks == trace.definitions.remarks);
  for (std::uint32_t location = 0; location < trace.events.size(); ++location) {
    CAPTURE(location);
    const auto stream = read->events_of(location);
    CHECK(lines_of(all_events(*stream)) == lines_of(trace.events[location]));
    CHECK(stream->remarks().empty());
  }
}

TEST_CASE("the program and the source lines of regions are read back, where they are known") {
  const store::TemporaryDirectory directory;
  SampleTrace trace = sample_trace();
  trace.definitions.program = "/home/u/heat <2>";
  trace.definitions.build_id = "0123abcd";
  trace.definitions.regions[1].file = "/src/heat.c";
  trace.definitions.regions[1].line = 70'000;
  const auto read = open_otf2(written(directory.path() / "t", trace));
  CHECK(read->definitions().program == "/home/u/heat <2>");
  CHECK(read->definitions().build_id == "0123abcd");
  for (std::size_t i = 0; i < trace.definitions.regions.size(); ++i) {
    CHECK(read->definitions().regions[i].file == (i == 1 ? "/src/heat.c" : ""));
    CHECK(read->definitions().regions[i].line == (i == 1 ? 70'000 : 0));
  }
  const auto without = open_otf2(written(directory.path() / "u", sample_trace()));
  CHECK(without->definitions().program.empty());
}

TEST_CASE("events come the same however few are asked for at once") {
  const store::TemporaryDirectory directory;
  const auto read = open_otf2(written(directory.path() / "t", sample_trace()));
  const std::vector<Event> all = all_events(*read->events_of(0));
  for (const std::size_t batch : {1UL, 2UL, 3UL, 7UL})
    CHECK(all_events(*read->events_of(0), batch) == all);
}

TEST_CASE("more locations are read at once than a process may have files open") {
  const store::TemporaryDirectory directory;
  SampleTrace trace;
  trace.definitions.regions = {{"f", TraceRegion::Kind::kUser}};
  constexpr std::uint32_t kRanks = 400;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    trace.definitions.ranks.push_back({"", "", {rank}});
    trace.definitions.locations.push_back({"", rank, 0, 0});
    trace.events.push_back(
        {{.time = rank, .kind = EventKind::kEnter}, {.time = rank + 1, .kind = EventKind::kLeave}});
  }
  const auto read = open_otf2(written(directory.path() / "t", trace));
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const struct rlimit few { 300, before.rlim_max };
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  std::vector<std::unique_ptr<EventStream>> streams;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) streams.push_back(read->events_of(rank));
  std::uint32_t good = 0;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank)
    if (all_events(*streams[rank]) == trace.events[rank]) ++good;
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(good == kRanks);
}

}  // namespace huddle::traces
