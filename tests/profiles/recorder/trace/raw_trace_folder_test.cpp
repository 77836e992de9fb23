#include "profiles/recorder/trace/raw_trace_folder.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "profiles/vocabulary/environment.hpp"
#include "tests/profiles/recorder/recorded_run.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::recorder {
namespace {

namespace fs = std::filesystem;
using Ranks = std::vector<std::uint32_t>;

struct Folder {
  Folder() { fs::create_directory(path); }
  void put(const std::string& name) const { store::put_file(path / name, "x"); }
  [[nodiscard]] RawTraceFolder raw() const { return RawTraceFolder(path); }

  store::TemporaryDirectory directory;
  fs::path path = directory.path() / "app.trace.raw-7.0-pid12";
};

}  // namespace

TEST_CASE("the names of a run's files are those of its trace, its ranks and their threads") {
  CHECK(RawTraceFolder::path_of("/x/app.trace", "7.0-pid12") == "/x/app.trace.raw-7.0-pid12");
  CHECK(RawTraceFolder::path_of("/x/app.trace/", "r") == "/x/app.trace.raw-r");
  CHECK(RawTraceFolder::definitions_file("/raw", 12) == "/raw/12.definitions");
  CHECK(RawTraceFolder::events_file("/raw", 12, 3) == "/raw/12.3.events");
}

TEST_CASE("the ranks of a folder are those whose definitions have a name that the recorder gives") {
  const Folder folder;
  for (const char* name :
       {"10.definitions", "2.definitions", "0.definitions", "4294967295.definitions"})
    folder.put(name);
  for (const char* other : {".definitions", "x.definitions", "-1.definitions", "+3.definitions",
                            "4294967296.definitions", "1.definitions.tmp", "3.0.events",
                            " 3.definitions", "007.definitions", "00.definitions"})
    folder.put(other);
  CHECK(folder.raw().ranks() == Ranks{0, 2, 10, 4294967295U});
}

TEST_CASE("only the recorder's files are removed, and the folder if nothing is left") {
  const Folder folder;
  for (const char* ours : {"0.definitions", "0.0.events", "12.3.events", ".0.definitions.a1b2.tmp"})
    folder.put(ours);
  folder.put("notes.txt");
  folder.put("0.x.events");
  folder.put("00.0.events");
  folder.put(".other.tmp");
  folder.raw().remove();
  CHECK(fs::exists(folder.path / "notes.txt"));
  CHECK(fs::exists(folder.path / "0.x.events"));
  CHECK(fs::exists(folder.path / "00.0.events"));
  CHECK(fs::exists(folder.path / ".other.tmp"));
  CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 4);
  for (const char* name : {"notes.txt", "0.x.events", "00.0.events", ".other.tmp"})
    fs::remove(folder.path / name);
  folder.put("5.definitions");
  folder.raw().remove();
  CHECK_FALSE(fs::exists(folder.path));
}

TEST_CASE("a rank's definitions are read with the files of this folder, wherever they were made") {
  const store::TemporaryDirectory directory;
  const RecordedRun run{directory.path() / "a.trace.raw-1"};
  run.leave(1, call(RecordedRun::kBarrier, 1, 2));
  const fs::path moved = directory.path() / "b.trace.raw-1";
  fs::rename(run.folder, moved);
  const RecordedTrace trace = RawTraceFolder(moved).read(1);
  CHECK(trace.rank == 1);
  CHECK(trace.raw_folder == moved);
  REQUIRE(trace.threads.size() == 1);
  CHECK(trace.threads[0].file == moved / "1.0.events");
}

TEST_CASE("definitions of another rank than their name says, or damaged ones, are refused") {
  const store::TemporaryDirectory directory;
  const RecordedRun run{directory.path() / "a.trace.raw-1"};
  run.leave(1, call(RecordedRun::kBarrier, 1, 2));
  fs::rename(run.folder / "1.definitions", run.folder / "0.definitions");
  const RawTraceFolder raw(run.folder);
  CHECK(error_of<FormatError>([&] {
          static_cast<void>(raw.read(0));
        }).find("0, as the file's name says") != std::string::npos);
  fs::resize_file(run.folder / "0.definitions", 40);
  CHECK_THROWS_AS(static_cast<void>(raw.read(0)), FormatError);
  CHECK_THROWS_AS(static_cast<void>(raw.read(1)), SystemError);
}

TEST_CASE("a folder is one of a traced run by its name, unless it holds a trace") {
  const Folder folder;
  CHECK(RawTraceFolder::is_one(folder.path));
  CHECK(RawTraceFolder::is_one(folder.path / ""));
  CHECK(folder.raw().trace() == folder.directory.path() / "app.trace");
  store::put_file(folder.path / "traces.otf2", "");
  CHECK_FALSE(RawTraceFolder::is_one(folder.path));
  CHECK_THROWS_AS(static_cast<void>(folder.raw()), Error);
  const fs::path nameless = folder.directory.path() / ".raw-7";
  fs::create_directory(nameless);
  CHECK_FALSE(RawTraceFolder::is_one(nameless));
  store::put_file(folder.directory.path() / "file.raw-7", "");
  CHECK_FALSE(RawTraceFolder::is_one(folder.directory.path() / "file.raw-7"));
}

TEST_CASE("the folders beside a trace are its own, not those of a trace with a longer name") {
  const Folder folder;
  const fs::path trace = folder.directory.path() / "app.trace";
  fs::create_directory(folder.directory.path() / "app.trace.raw-1.raw-2");  // of "app.trace.raw-1"
  fs::create_directory(folder.directory.path() / "app.trace2.raw-1");
  CHECK(RawTraceFolder::beside(trace) == std::vector<fs::path>{folder.path});
  CHECK(RawTraceFolder::beside(folder.directory.path() / "none").empty());
  CHECK(RawTraceFolder::beside("/nowhere/at/all").empty());
  CHECK(RawTraceFolder::beside("").empty());
}

TEST_CASE("a folder is locked as long as a process holds a file of events") {
  const Folder folder;
  folder.put("0.0.events");
  folder.put("0.definitions");
  CHECK_FALSE(folder.raw().is_locked());
  const int other = ::open((folder.path / "0.definitions").c_str(), O_RDWR | O_CLOEXEC);
  lock_events(other);  // no file of events
  CHECK_FALSE(folder.raw().is_locked());
  ::close(other);
  const int events = ::open((folder.path / "0.0.events").c_str(), O_RDWR | O_CLOEXEC);
  lock_events(events);
  CHECK(folder.raw().is_locked());
  CHECK(folder.raw().is_locked());  // looking does not take the lock away
  ::close(events);
  CHECK_FALSE(folder.raw().is_locked());
  lock_events(-1);  // no failure
}

TEST_CASE("the last write to any file of the folder counts") {
  const Folder folder;
  folder.put("0.0.events");
  folder.put("1.0.events");
  const auto now = fs::file_time_type::clock::now();
  fs::last_write_time(folder.path, now - std::chrono::hours(3));
  fs::last_write_time(folder.path / "0.0.events", now - std::chrono::hours(2));
  fs::last_write_time(folder.path / "1.0.events", now - std::chrono::hours(1));
  CHECK(folder.raw().last_written() == fs::last_write_time(folder.path / "1.0.events"));
}

TEST_CASE("what recorded a rank survives its way to another process, or is refused") {
  RecordedTrace trace;
  trace.rank = 3;
  trace.ranks = 5;
  trace.node = "n\n1";
  trace.ticks_per_second = 2.5e9;
  trace.clock_begin = {1, -2, 3};
  trace.clock_end = {UINT64_MAX, INT64_MIN, 0};
  trace.threads = {{"/a", 7}, {"", RecordedThread::kUnknown}};
  trace.operations = {"MPI_Send", ""};
  trace.call_paths = {{{0, 17}, {1, UINT64_MAX}}, {}};
  trace.modules = {"/bin/x", "[vdso]"};
  trace.regions = {{RecordedRegion::kBarrier, "x+0x12", {0, 18}}, {}};
  trace.teams = {{0, 1}, {}};
  trace.groups = {{}, {0, 4, UINT32_MAX}};
  trace.communicators = {{9, "world", RecordedTrace::kEverybody, RecordedTrace::kNoGroup, false},
                         {0, "", 1, 0, true}};
  trace.windows = {{8, 1}};
  trace.remarks = {"odd"};
  trace.raw_folder = "/raw";
  const std::string bytes = trace.packed();
  CHECK(RecordedTrace::unpacked(bytes, "test") == trace);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_THROWS_AS(RecordedTrace::unpacked(bytes.substr(0, size), "test"), FormatError);
  CHECK_THROWS_AS(RecordedTrace::unpacked(bytes + "x", "test"), FormatError);
  CHECK(RecordedTrace::unpacked(RecordedTrace().packed(), "test") == RecordedTrace());
}

}  // namespace huddle::recorder
