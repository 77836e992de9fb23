#include "profiles/recorder/trace/trace_events_output.hpp"

#include <doctest/doctest.h>

#include "profiles/recorder/trace/trace_unification.hpp"
#include "tests/profiles/recorder/recorded_run.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::recorder {
namespace {

using Story = std::vector<std::string>;

// One process does what all ranks of a run do.
struct WholeTrace {
  explicit WholeTrace(const RecordedTrace& first)
      : unification(first.operations, first.ranks), folder(directory.path() / "trace") {
    std::filesystem::create_directory(folder);
  }

  PieceResult add(const RecordedTrace& trace, const CallPathFunctions& functions = {},
                  Unusable unusable = Unusable::kRefused) {
    const TracePiece piece = piece_of(trace, functions);
    GroupLists lists;
    for (const std::uint32_t group : unification.wishes(piece).groups)
      lists.lists.push_back(known_ranks(trace.groups[group]));
    const PieceNumbers numbers = unification.add(piece, lists);
    PieceResult result = write_events(trace, functions, numbers, folder, unusable);
    unification.add_result(trace.rank, result);
    return result;
  }

  void complete() {
    const TraceDefinitions definitions = unification.take();
    write_trace_definitions(folder, definitions, {unification.begin(), definitions.duration, 0});
  }

  TemporaryDirectory directory;
  TraceUnification unification;
  std::filesystem::path folder;
};

const std::vector<Event> kSends =
    call(RecordedRun::kSend, 100, 140, {event_of(EventKind::kSend, 110, 0, 1)});
const std::vector<Event> kReceives =
    call(RecordedRun::kRecv, 50, 150, {event_of(EventKind::kRecv, 150, 0, 0)});

}  // namespace

TEST_CASE("a rank's events are in the trace, by rank 0's clock") {
  const TemporaryDirectory raw;
  const RecordedRun run{raw.path() / "raw"};
  RecordedTrace receiver = run.put(1, kReceives);
  receiver.clock_begin = {0, 1000, 5};   // its clock is 1000 ns behind at the begin,
  receiver.clock_end = {1000, 3000, 2};  // and runs at half the speed
  const RecordedTrace sender = run.put(0, kSends);
  WholeTrace whole(sender);
  const PieceResult sent = whole.add(sender);
  CHECK(sent.events == std::vector<std::uint64_t>{3});
  CHECK(sent.has_events);
  CHECK(sent.first == 100);
  CHECK(sent.last == 140);
  CHECK(sent.remarks.empty());
  const PieceResult received = whole.add(receiver);
  CHECK(received.first == 1100);
  CHECK(received.last == 1300);
  CHECK(received.clock_uncertainty_ns == 5);
  whole.complete();
  CHECK(story_of(whole.folder, 0) ==
        Story{"0 enter MPI_Send", "10 send to 1", "40 leave MPI_Send"});
  CHECK(story_of(whole.folder, 1) ==
        Story{"1000 enter MPI_Recv", "1200 receive from 0", "1200 leave MPI_Recv"});
}

TEST_CASE("functions of the program are around its calls") {
  const TemporaryDirectory raw;
  RecordedRun run{raw.path() / "raw"};
  run.ranks = 1;
  std::vector<Event> events =
      joined({call(RecordedRun::kBarrier, 10, 20), call(RecordedRun::kBarrier, 30, 40)});
  for (Event& event : events) event.tag = 0;
  RecordedTrace trace = run.put(0, events);
  trace.call_paths = {{{0, 0x10}}};
  CallPathFunctions functions;
  functions.functions = {"main"};
  functions.paths = {{{0, {0, 0x10}}}};
  WholeTrace whole(trace);
  whole.add(trace, functions);
  whole.complete();
  CHECK(story_of(whole.folder, 0) == Story{"0 enter main", "0 enter MPI_Barrier",
                                           "10 leave MPI_Barrier", "20 enter MPI_Barrier",
                                           "30 leave MPI_Barrier", "30 leave main"});
}

TEST_CASE("each thread is a location of its own, and one without events is there, too") {
  const TemporaryDirectory raw;
  const RecordedRun run{raw.path() / "raw"};
  RecordedTrace trace = run.put(0, kSends);
  trace.threads.push_back(trace.threads[0]);
  WholeTrace whole(trace);
  CHECK(whole.add(trace).events == std::vector<std::uint64_t>{3, 3});
  RecordedTrace silent = run.put(1, {});
  const PieceResult none = whole.add(silent);
  CHECK(none.events == std::vector<std::uint64_t>{0});
  CHECK_FALSE(none.has_events);
  whole.complete();
  CHECK(story_of(whole.folder, 1) == story_of(whole.folder, 0));
  CHECK(story_of(whole.folder, 2).empty());
}

TEST_CASE("messages with processes of other worlds are left out, and counted") {
  const TemporaryDirectory raw;
  const RecordedRun run{raw.path() / "raw"};
  const RecordedTrace trace = run.put(
      0, joined({call(RecordedRun::kSend, 1, 2, {event_of(EventKind::kSend, 1, 0)}), kSends}));
  WholeTrace whole(trace);
  CHECK(whole.add(trace).remarks ==
        Story{"1 messages are left out: their other side is no rank of this run"});
}

TEST_CASE("events that name nothing are refused, or end what is told of their thread") {
  const TemporaryDirectory raw;
  const RecordedRun run{raw.path() / "raw"};
  const RecordedTrace trace = run.put(
      0,
      joined({kSends, call(RecordedRun::kSend, 200, 210, {event_of(EventKind::kSend, 205, 7, 1)}),
              call(RecordedRun::kBarrier, 300, 310)}));
  {
    WholeTrace whole(trace);
    CHECK_FALSE(error_of([&] { whole.add(trace); }).empty());
  }
  WholeTrace whole(trace);
  const PieceResult result = whole.add(trace, {}, Unusable::kLeftOut);
  CHECK(result.events == std::vector<std::uint64_t>{5});
  CHECK(result.last == 200);
  CHECK(result.remarks ==
        Story{"its last events are left out: the run ended before it was written down what they "
              "name"});
}

TEST_CASE("a damaged file is refused, or told up to its damage") {
  const TemporaryDirectory raw;
  const RecordedRun run{raw.path() / "raw"};
  RecordedTrace trace = run.put(0, kSends);
  put_file(trace.threads[0].file, packed(kSends) + "\xff\xff\xff");
  trace.threads[0].bytes += 3;
  {
    WholeTrace whole(trace);
    CHECK(error_of([&] { whole.add(trace); }).find("an event of kind 255") != std::string::npos);
  }
  WholeTrace whole(trace);
  const PieceResult result = whole.add(trace, {}, Unusable::kLeftOut);
  CHECK(result.events == std::vector<std::uint64_t>{3});
  CHECK(result.remarks ==
        Story{"events are missing: their file is damaged, and not read beyond that place"});
}

}  // namespace huddle::recorder
