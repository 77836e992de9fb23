#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "profiles/traces/trace.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/traces/event_promises.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::traces {
namespace {

namespace fs = std::filesystem;

const fs::path kScoreP = HUDDLE_FIXTURES "/traces/score-p-ping-pong";
const fs::path kEztrace = HUDDLE_FIXTURES "/traces/eztrace-four-ranks";

// Reads all that can be read; what is broken of what trace.hpp promises, if anything is. Errors of
// Huddle's are as it should be, others come through.
std::string broken_in_reading(const fs::path& path) {
  try {
    const auto trace = open_otf2(path);
    const TraceDefinitions& definitions = trace->definitions();
    if (std::string broken = broken_in(definitions); !broken.empty()) return broken;
    std::vector<Event> events(64);
    for (std::uint32_t location = 0; location < definitions.locations.size(); ++location) {
      try {
        const auto stream = trace->events_of(location);
        EventPromises promises(definitions);
        while (const std::size_t got = stream->read(events))
          if (std::string broken = promises.look_at(std::span(events).first(got)); !broken.empty())
            return broken;
        static_cast<void>(stream->remarks());
      } catch (const Error&) {
      }
    }
  } catch (const Error&) {
  }
  return {};
}

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (const auto name = entry.path().extension();
        name == ".otf2" || name == ".def" || name == ".evt")
      files.push_back(fs::relative(entry.path(), folder));
  return files;
}

// Damages each file of a copy of `trace`, one place after the other, from last to first. The files
// are changed where they are: to write each anew would wait for the disk.
void damage_each(const fs::path& trace, std::size_t stride,
                 const std::function<void(const fs::path&, std::size_t)>& damage,
                 const std::function<void(const fs::path&, std::size_t)>& repair) {
  const store::TemporaryDirectory directory;
  const fs::path folder = directory.path() / "t";
  fs::copy(trace, folder, fs::copy_options::recursive);
  for (const fs::path& file : files_of(trace)) {
    const std::string whole = store::get_file(trace / file);
    for (std::size_t at = whole.size(); at > 0;
         at -= std::min(at, whole.size() > 1000 ? stride : 1)) {
      damage(folder / file, at - 1);
      const std::string broken = broken_in_reading(folder);
      if (!broken.empty()) FAIL_CHECK(fmt::format("{} byte {}: {}", file.string(), at - 1, broken));
      repair(folder / file, at - 1);
    }
    store::put_file(folder / file, whole);
  }
}

// Flips the bits of `bits` in the byte at `at`.
void flip(const fs::path& file, std::size_t at, char bits) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(at));
  const int byte = stream.get();
  stream.seekp(static_cast<std::streamoff>(at));
  stream.put(static_cast<char>(byte ^ bits));
}

// A copy of Score-P's trace of which one file is something else.
std::string complaint_about(const fs::path& file, const std::string& content) {
  const store::TemporaryDirectory directory;
  const fs::path folder = directory.path() / "t";
  fs::copy(kScoreP, folder, fs::copy_options::recursive);
  store::put_file(folder / file, content);
  return error_of([&] {
    const auto trace = open_otf2(folder);
    std::vector<Event> events(1000);
    for (std::uint32_t location = 0; location < 2; ++location) {
      const auto stream = trace->events_of(location);
      while (stream->read(events) > 0) {
      }
    }
  });
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("any one byte of a trace may be another one") {
  for (const fs::path& trace : {kScoreP, kEztrace})
    for (const char bits : {'\x01', '\x80', '\xff'}) {
      const auto change = [bits](const fs::path& file, std::size_t at) { flip(file, at, bits); };
      damage_each(trace, 11, change, change);
    }
}

TEST_CASE("each file of a trace may end anywhere") {
  for (const fs::path& trace : {kScoreP, kEztrace})
    damage_each(
        trace, 7, [](const fs::path& file, std::size_t at) { fs::resize_file(file, at); },
        [](const fs::path&, std::size_t) {});
}

TEST_CASE("what was read before the damage is good") {
  const store::TemporaryDirectory directory;
  const fs::path folder = directory.path() / "t";
  fs::copy(kScoreP, folder, fs::copy_options::recursive);
  store::put_file(folder / "traces/0.evt",
                  store::get_file(kScoreP / "traces/0.evt").substr(0, 300));
  const auto trace = open_otf2(folder);
  const auto stream = trace->events_of(0);
  std::vector<Event> events(1000);
  const std::size_t got = stream->read(events);
  CHECK(got > 10);
  CHECK(got < 40);
  for (int again = 0; again < 2; ++again)
    CHECK(contains(error_of([&] { stream->read(events); }), "traces/0.evt: byte 29"));
}

TEST_CASE("errors name the file, what was found and what was expected") {
  CHECK(contains(complaint_about("traces.otf2", ""),
                 "traces.otf2: byte 0: found something else, expected the anchor file of an OTF2"));
  CHECK(contains(
      complaint_about("traces.otf2", store::get_file(kScoreP / "traces.otf2").substr(0, 60)),
      "found the end of the file, expected a whole anchor file"));
  CHECK(contains(complaint_about("traces.def", "hello"),
                 "found 68 65, expected the header of a chunk of OTF2"));
  CHECK(contains(
      complaint_about("traces.def", store::get_file(kScoreP / "traces.def").substr(0, 5000)),
      "traces.def: byte 4"));
  CHECK(contains(complaint_about("traces/1.def", ""), "traces/1.def: byte 0"));
  std::string sion = store::get_file(kScoreP / "traces.otf2");
  sion[28] = 2;
  CHECK(contains(complaint_about("traces.otf2", sion), "found file substrate 2, expected plain"));
  std::string chunk = store::get_file(kScoreP / "traces.otf2");
  chunk[19] = 1;
  CHECK(contains(complaint_about("traces.otf2", chunk), "found chunks of 72057594038976512 bytes"));
}

TEST_CASE("a trace is named by its folder or its anchor file, and must be one") {
  const store::TemporaryDirectory directory;
  const fs::path folder = directory.path() / "t";
  CHECK(contains(error_of([&] { open_otf2(folder); }), "can't read"));
  fs::create_directory(folder);
  CHECK(contains(error_of([&] { open_otf2(folder); }), "no file that ends in .otf2"));
  fs::copy(kScoreP, folder, fs::copy_options::recursive);
  CHECK(open_otf2(folder)->definitions().ranks.size() == 2);
  CHECK(open_otf2(folder / "traces.otf2")->definitions().ranks.size() == 2);
  store::put_file(folder / "other.otf2", "");
  const std::string two = error_of([&] { open_otf2(folder); });
  CHECK(contains(two, "other.otf2"));
  CHECK(contains(two, "expected one archive"));
  fs::remove(folder / "other.otf2");
  fs::remove(folder / "traces.def");
  CHECK(contains(error_of([&] { open_otf2(folder); }), "traces.def"));
}

TEST_CASE("files of events may be missing, but not all of them") {
  const store::TemporaryDirectory directory;
  const fs::path folder = directory.path() / "t";
  fs::copy(kScoreP, folder, fs::copy_options::recursive);
  fs::remove(folder / "traces/1.evt");
  const auto trace = open_otf2(folder);
  REQUIRE(trace->definitions().remarks.size() == 1);
  CHECK(trace->definitions().remarks[0] == "1 of 2 locations have no file of events.");
  const auto stream = trace->events_of(1);
  std::vector<Event> events(10);
  CHECK(stream->read(events) == 0);
  REQUIRE(stream->remarks().size() == 1);
  CHECK(contains(stream->remarks()[0], "1.evt is missing"));
  fs::remove(folder / "traces/0.evt");
  CHECK(contains(error_of([&] { open_otf2(folder); }), "found no file of events"));
}

TEST_CASE("a file that is no regular one is refused and not waited for") {
  const store::TemporaryDirectory directory;
  const fs::path folder = directory.path() / "t";
  fs::copy(kScoreP, folder, fs::copy_options::recursive);
  fs::remove(folder / "traces.def");
  REQUIRE(::mkfifo((folder / "traces.def").c_str(), 0600) == 0);
  CHECK(contains(error_of([&] { open_otf2(folder); }), "expected a regular file"));
}

}  // namespace huddle::traces
