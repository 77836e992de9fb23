#include "profiles/traces/write/trace_writer.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <memory>

#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/traces/event_text.hpp"
#include "tests/profiles/traces/random_trace.hpp"
#include "tests/profiles/traces/sample_trace.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::traces {
namespace {

void write_all(const std::filesystem::path& folder, const SampleTrace& trace) {
  TraceWriter writer(folder, trace.definitions);
  for (std::uint32_t location = 0; location < trace.events.size(); ++location)
    writer.write(location, trace.events[location]);
  writer.finish();
}

}  // namespace

TEST_CASE("a trace lies in a folder as OTF2's tools look for it") {
  const store::TemporaryDirectory directory;
  const auto folder = directory.path() / "t";
  write_all(folder, sample_trace());
  CHECK(directory.entries() == 1);
  for (const char* name : {"traces.otf2", "traces.def", "traces/0.evt", "traces/0.def",
                           "traces/3.evt", "traces/4294967296.evt"})
    CHECK_MESSAGE(std::filesystem::is_regular_file(folder / name), name);
  CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 3);
}

TEST_CASE("of a trace that is not finished nothing is left") {
  const store::TemporaryDirectory directory;
  const SampleTrace trace = sample_trace();
  {
    TraceWriter writer(directory.path() / "t", trace.definitions);
    writer.write(0, trace.events[0]);
  }
  CHECK(directory.entries() == 0);
}

TEST_CASE("a trace takes an empty folder's place, and leaves one alone that holds something") {
  const store::TemporaryDirectory directory;
  const auto folder = directory.path() / "t";
  std::filesystem::create_directory(folder);
  write_all(folder, sample_trace());
  CHECK(std::filesystem::exists(folder / "traces.otf2"));
  const std::string complaint = error_of([&] { TraceWriter(folder, sample_trace().definitions); });
  CHECK(complaint.find("exists and is not empty") != std::string::npos);
  store::put_file(directory.path() / "file", "x");
  CHECK(error_of([&] {
          TraceWriter(directory.path() / "file", sample_trace().definitions);
        }).find("something else") != std::string::npos);
  CHECK(directory.entries() == 2);
}

TEST_CASE("definitions that contradict each other are refused before anything is written") {
  const store::TemporaryDirectory directory;
  const auto complaint = [&](const auto& change) {
    TraceDefinitions definitions = sample_trace().definitions;
    change(definitions);
    return error_of([&] { TraceWriter(directory.path() / "t", definitions); });
  };
  using D = TraceDefinitions;
  CHECK(complaint([](D& d) { d.ranks[3].locations.clear(); }) ==
        "can't write a trace: rank 3 has no location");
  CHECK(complaint([](D& d) { d.locations[4].thread = 0; }) ==
        "can't write a trace: two locations are thread 0 of rank 0");
  CHECK(complaint([](D& d) { d.locations[4].rank = 9; }) ==
        "can't write a trace: location 4 is of rank 9, and there are 4");
  CHECK(complaint([](D& d) { d.ranks[0].locations = {1}; }) ==
        "can't write a trace: rank 0 names location 1 of rank 1");
  CHECK(complaint([](D& d) { d.communicators[2].ranks = {4}; }) ==
        "can't write a trace: communicator 2 names 4 which is not defined");
  CHECK(complaint([](D& d) {
          d.communicators[2].ranks = {1, 1};
        }) == "can't write a trace: communicator 2 names 1 twice");
  CHECK(complaint([](D& d) { d.windows[0].communicator = 4; }) ==
        "can't write a trace: window 0 names communicator 4, and there are 4");
  CHECK(complaint([](D& d) { d.teams[0] = {5}; }) ==
        "can't write a trace: team 0 names 5 which is not defined");
  CHECK(complaint([](D& d) {
          d.ranks.clear();
          d.locations.clear();
        }) == "can't write a trace: it has no ranks");
  CHECK(directory.entries() == 0);
}

TEST_CASE("an event that names what is not defined is refused") {
  const store::TemporaryDirectory directory;
  TraceWriter writer(directory.path() / "t", sample_trace().definitions);
  const auto complaint = [&](const Event& event) {
    return error_of([&] { writer.write(1, std::array{event}); });
  };
  CHECK(complaint({.time = 10, .subject = 99, .kind = EventKind::kEnter}) ==
        "can't write an event of region 99: only 26 are defined");
  CHECK(complaint({.time = 10, .subject = 4, .peer = 0, .kind = EventKind::kSend}) ==
        "can't write an event of communicator 4: only 4 are defined");
  CHECK(complaint({.time = 10, .subject = 2, .peer = 0, .kind = EventKind::kSend}) ==
        "can't write an event of rank 1: rank 0 is not in communicator 2");
  CHECK(complaint({.time = 10, .subject = 2, .kind = EventKind::kOneSided}) ==
        "can't write an event of window 2: only 2 are defined");
  CHECK(complaint({.time = 10, .subject = 1, .kind = EventKind::kTeamBegin}) ==
        "can't write an event of team 1: only 1 are defined");
  CHECK(complaint({.time = 5, .subject = 0, .kind = EventKind::kEnter}) ==
        "can't write an event of time 5 behind one of time 10");
  CHECK(error_of([&] { writer.write(5, {}); }) ==
        "can't write events of location 5: only 5 are defined");
}

TEST_CASE("where a file may not be as large as the trace, there is an error and no trace") {
  const store::TemporaryDirectory directory;
  const SampleTrace trace = sample_trace();
  std::vector<Event> many(100'000);
  for (std::size_t i = 0; i < many.size(); ++i)
    many[i] = {.time = i, .kind = i % 2 == 0 ? EventKind::kEnter : EventKind::kLeave};
  struct rlimit before {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  // While it is written, and in the last moment.
  for (const rlim_t limit : {20'000U, 300'000U, 1'000'000U}) {
    const struct rlimit small { limit, before.rlim_max };
    ::setrlimit(RLIMIT_FSIZE, &small);
    const std::string complaint = error_of([&] {
      TraceWriter writer(directory.path() / "t", trace.definitions);
      for (int round = 0; round < 2; ++round) {
        writer.write(0, many);
        for (Event& event : many) event.time += many.size();
      }
      writer.finish();
    });
    ::setrlimit(RLIMIT_FSIZE, &before);
    CHECK_MESSAGE(complaint.find("can't write the trace") == 0, complaint);
    CHECK(directory.entries() == 0);
    for (Event& event : many) event.time %= many.size();
  }
  std::signal(SIGXFSZ, old_handler);
}

TEST_CASE("random traces are read back as they were written") {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    CAPTURE(seed);
    const store::TemporaryDirectory directory;
    const SampleTrace trace = random_trace(seed);
    write_all(directory.path() / "t", trace);
    const auto read = open_otf2(directory.path() / "t");
    TraceDefinitions definitions = read->definitions();
    REQUIRE(definitions.groups.size() >= trace.definitions.groups.size());
    definitions.groups.resize(trace.definitions.groups.size());
    CHECK(text_of(definitions) == text_of(trace.definitions));
    for (std::uint32_t location = 0; location < trace.events.size(); ++location) {
      CAPTURE(location);
      const auto stream = read->events_of(location);
      const auto found = all_events(*stream);
      REQUIRE(found.size() == trace.events[location].size());
      const auto differs =
          std::mismatch(found.begin(), found.end(), trace.events[location].begin());
      if (differs.first != found.end())
        FAIL(lines_of({*differs.first}) << " is not " << lines_of({*differs.second}));
    }
  }
}

}  // namespace huddle::traces
