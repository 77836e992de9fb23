#include "profiles/recorder/trace/trace_recovery.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "profiles/recorder/trace/event_buffer.hpp"
#include "profiles/traces/trace.hpp"
#include "tests/profiles/recorder/recorded_run.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::recorder {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

struct LeftRun {
  store::TemporaryDirectory directory;
  fs::path trace = directory.path() / "app.trace";
  RecordedRun run{RawTraceFolder::path_of(trace, "77.0-pid12")};

  [[nodiscard]] Lines remarks() const { return traces::open_otf2(trace)->definitions().remarks; }
  [[nodiscard]] bool remarked(const std::string& sentence) const {
    const Lines all = remarks();
    return std::find(all.begin(), all.end(), sentence) != all.end();
  }
  void recover() const { recover_trace(RawTraceFolder(run.folder)); }
};

const std::vector<traces::Event> kBarriers =
    joined({call(RecordedRun::kBarrier, 100, 200), call(RecordedRun::kBarrier, 1000, 1200)});

// Written so long ago.
void age(const fs::path& folder, int seconds) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const std::array<timespec, 2> times{{{now.tv_sec - seconds, 0}, {now.tv_sec - seconds, 0}}};
  for (const auto& entry : fs::directory_iterator(folder))
    REQUIRE(::utimensat(AT_FDCWD, entry.path().c_str(), times.data(), 0) == 0);
  REQUIRE(::utimensat(AT_FDCWD, folder.c_str(), times.data(), 0) == 0);
}

}  // namespace

TEST_CASE("a killed run's files become its trace, and are removed") {
  const LeftRun left;
  left.run.leave(0, kBarriers);
  left.run.leave(1, call(RecordedRun::kBarrier, 100, 200));
  left.recover();
  CHECK(left.directory.entries() == 1);
  CHECK(lines_of(left.trace, 0).size() == 4);
  CHECK(lines_of(left.trace, 1) == Lines{"0 enter MPI_Barrier", "100 leave MPI_Barrier"});
  CHECK(left.remarks() ==
        Lines{"the run was cut short, and this trace was made of what it left: of its last seconds "
              "events may be missing",
              "rank 1 ends first, 0.000001 s before rank 0, which ends last",
              "clocks of nodes were compared at the begin of the run only: they may drift apart, "
              "by some microseconds a second",
              "ranks 0-1: the run was killed"});
}

TEST_CASE("a rank that left nothing is in the trace, without events") {
  LeftRun left;
  left.run.ranks = 4;
  left.run.leave(0, kBarriers);
  left.run.leave(2, kBarriers);
  left.recover();
  const auto trace = traces::open_otf2(left.trace);
  REQUIRE(trace->definitions().ranks.size() == 4);
  CHECK(trace->definitions().ranks[2].node == "n0");
  CHECK(trace->definitions().ranks[3].node.empty());
  CHECK(lines_of(left.trace, 3).empty());
  CHECK(left.remarked("ranks 1,3: nothing is left of what it recorded"));
}

TEST_CASE("an event that was cut is left out") {
  const LeftRun left;
  left.run.leave(0, kBarriers);
  left.run.leave(1, kBarriers);
  const std::string bytes = packed(kBarriers);
  store::put_file(left.run.folder / "1.0.events", bytes.substr(0, bytes.size() - 1));
  left.recover();
  CHECK(lines_of(left.trace, 1) == Lines{"0 enter MPI_Barrier", "100 leave MPI_Barrier",
                                         "900 enter MPI_Barrier", "900 leave MPI_Barrier"});
}

TEST_CASE("what was not written down any more ends the rank's trace, with a remark") {
  const LeftRun left;
  std::vector<traces::Event> unknown_path = call(RecordedRun::kBarrier, 2000, 2100);
  for (traces::Event& event : unknown_path) event.tag = 3;
  left.run.leave(0, joined({kBarriers, unknown_path}));
  left.run.leave(1, kBarriers);
  left.recover();
  CHECK(lines_of(left.trace, 0) == lines_of(left.trace, 1));
  CHECK(
      left.remarked("rank 0: its last events are left out: the run ended before it was written "
                    "down what they name"));
}

TEST_CASE("ranks of one node take one clock, the one that was compared twice if there is one") {
  LeftRun left;
  left.run.ranks = 3;
  left.run.leave(1, kBarriers);
  for (const std::uint32_t rank : {0U, 2U}) {
    RecordedTrace trace = left.run.put(rank, kBarriers);
    trace.ticks_per_second = rank == 0 ? 1e9 : 1.5e9;
    if (rank == 2) trace.clock_end = {1000, 2000, 0};
    left.run.leave_definitions(trace);
  }
  left.recover();
  CHECK(lines_of(left.trace, 0) == lines_of(left.trace, 2));
  CHECK(lines_of(left.trace, 0)[0] == "100 enter MPI_Barrier");  // 200, and rank 1 begins at 100
}

TEST_CASE("files may lie elsewhere than they were made, and none outside is read") {
  const LeftRun left;
  left.run.leave(0, kBarriers);
  RecordedTrace trace = left.run.put(1, kBarriers);
  trace.threads[0].file = "/etc/passwd";
  left.run.leave_definitions(trace);
  left.recover();
  CHECK(lines_of(left.trace, 1) == lines_of(left.trace, 0));
  CHECK(fs::exists("/etc/passwd"));
}

TEST_CASE("what no run left is refused in words, and nothing appears") {
  const LeftRun left;
  const auto complaint = [&] { return error_of([&] { left.recover(); }); };
  fs::create_directory(left.run.folder);
  store::put_file(left.run.folder / "0.0.events", packed(kBarriers));
  CHECK(complaint().find("no rank has recorded what its events mean") != std::string::npos);
  left.run.leave(1, kBarriers);
  store::put_file(left.run.folder / "0.definitions", "hello");
  CHECK(complaint().find("0.definitions: byte 0") != std::string::npos);
  RecordedTrace other = left.run.put(0, kBarriers);
  other.ranks = 3;
  left.run.leave_definitions(other);
  CHECK(complaint().find("the number of ranks") != std::string::npos);
  other.ranks = 2;
  other.rank = 1;
  store::put_file(left.run.folder / "0.definitions", other.packed());
  CHECK(complaint().find("as the file's name says") != std::string::npos);
  CHECK(left.directory.entries() == 1);
}

TEST_CASE("a trace that is there stays, and so do the files") {
  const LeftRun left;
  left.run.leave(0, kBarriers);
  fs::create_directory(left.trace);
  store::put_file(left.trace / "mine", "");
  CHECK(error_of([&] { left.recover(); }).find("exists and is not empty") != std::string::npos);
  CHECK(fs::exists(left.run.folder / "0.definitions"));
}

TEST_CASE("other people's files in the folder are not removed") {
  const LeftRun left;
  left.run.leave(0, kBarriers);
  left.run.leave(1, kBarriers);
  store::put_file(left.run.folder / "notes.events", "");
  left.recover();
  CHECK(fs::exists(left.run.folder / "notes.events"));
  CHECK_FALSE(fs::exists(left.run.folder / "0.0.events"));
}

TEST_CASE("a run whose processes write has not ended") {
  const LeftRun left;
  left.run.leave(0, kBarriers);
  left.run.leave(1, kBarriers);
  const RawTraceFolder raw(left.run.folder);
  EventWriter writer(1U << 20U);
  {
    const EventBuffer buffer(left.run.folder / "1.0.events", 4096, writer);
    CHECK(raw.is_locked());
    CHECK(RunEnd::why_not_yet(raw, "n0", true) == "its run goes on: a process still writes to it");
  }
  CHECK_FALSE(raw.is_locked());
  CHECK(RunEnd::why_not_yet(raw, "n0", true).empty());
}

TEST_CASE("where locks of other nodes may not be seen, a run ends when nothing is written") {
  LeftRun left;
  left.run.leave(0, kBarriers);
  left.run.leave(1, kBarriers);  // on another node
  const RawTraceFolder raw(left.run.folder);
  CHECK(RunEnd::why_not_yet(raw, "n0", false).find("its run may go on") == 0);
  age(left.run.folder, 61);
  CHECK(RunEnd::why_not_yet(raw, "n0", false).empty());
}

TEST_CASE("a run of this node alone has ended as soon as its processes have") {
  LeftRun left;
  left.run.ranks = 1;
  left.run.leave(0, kBarriers);
  const RawTraceFolder raw(left.run.folder);
  CHECK(RunEnd::why_not_yet(raw, "n0", false).empty());
  CHECK_FALSE(RunEnd::why_not_yet(raw, "n1", false).empty());
}

TEST_CASE("what runs left is found beside the trace that it would be") {
  const LeftRun left;
  fs::create_directory(left.run.folder);
  fs::create_directory(RawTraceFolder::path_of(left.trace, "9"));
  fs::create_directory(left.directory.path() / "another.trace.raw-1");
  store::put_file(left.directory.path() / "app.trace.raw-file", "");
  CHECK(RawTraceFolder::beside(left.trace) ==
        std::vector<fs::path>{left.run.folder, RawTraceFolder::path_of(left.trace, "9")});
  CHECK(RawTraceFolder(left.run.folder / "").trace() == left.trace);
  CHECK_FALSE(RawTraceFolder::is_one(left.trace));
}

}  // namespace huddle::recorder
