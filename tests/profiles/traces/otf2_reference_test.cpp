// Traces are read as OTF2's own reader reads them.

#include "tests/profiles/traces/otf2_reference.hpp"

#include <doctest/doctest.h>

#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/traces/event_text.hpp"
#include "tests/profiles/traces/mapped_archive.hpp"

namespace huddle::traces {
namespace {

void compare(const std::filesystem::path& anchor, const std::vector<std::uint64_t>& locations) {
  CAPTURE(anchor);
  const auto trace = open_otf2(anchor);
  REQUIRE(trace->definitions().locations.size() == locations.size());
  for (std::uint32_t location = 0; location < locations.size(); ++location) {
    CAPTURE(location);
    const auto stream = trace->events_of(location);
    const std::string ours = lines_by_us(trace->definitions(), all_events(*stream));
    REQUIRE(ours.size() > 1000);
    const bool same = ours == lines_by_otf2(anchor, locations[location]);
    CHECK(same);
  }
}

}  // namespace

TEST_CASE("a trace by Score-P") {
  compare(HUDDLE_FIXTURES "/traces/score-p-ping-pong/traces.otf2", {0, 1});
}

TEST_CASE("random events with numbers and clocks of each location") {
  const store::TemporaryDirectory directory;
  for (const unsigned seed : {1U, 2U, 3U}) {
    const auto folder = directory.path() / std::to_string(seed);
    compare(write_mapped_archive(folder, seed, 2000), {0, 1});
  }
}

TEST_CASE("events of many chunks") {
  const store::TemporaryDirectory directory;
  const auto anchor = write_mapped_archive(directory.path() / "t", 7, 60000);
  REQUIRE(std::filesystem::file_size(directory.path() / "t/traces/0.evt") > 4 * 256 * 1024);
  compare(anchor, {0, 1});
}

}  // namespace huddle::traces
