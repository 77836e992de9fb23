#include "profiles/recorder/trace/trace_unification.hpp"

#include <doctest/doctest.h>

#include <string>

#include "profiles/traces/event.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::recorder {
namespace {

constexpr std::uint32_t kNoGroup = RecordedTrace::kNoGroup;
constexpr std::uint32_t kEverybody = RecordedTrace::kEverybody;
const std::vector<std::string> kUnifiedOperations = {"MPI_Send", "MPI_Barrier"};
using Numbers = std::vector<std::uint32_t>;

RecordedTrace recorded(std::uint32_t rank) {
  RecordedTrace trace;
  trace.rank = rank;
  trace.ranks = 4;
  trace.node = rank < 2 ? "n0" : "n1";
  trace.operations = kUnifiedOperations;
  trace.threads.resize(1);
  trace.communicators.push_back({1, "MPI_COMM_WORLD", kEverybody, kNoGroup, false});
  return trace;
}

// As rank 0 and the rank exchange it.
PieceNumbers added(TraceUnification& all, const RecordedTrace& trace,
                   std::vector<std::string> functions = {}) {
  CallPathFunctions names;
  names.functions = std::move(functions);
  const auto piece = unpacked_message<TracePiece>(packed_message(piece_of(trace, names)), "a test");
  std::vector<std::vector<std::uint32_t>> ranks;
  for (const std::uint32_t group : all.new_groups(piece))
    ranks.push_back(known_ranks(trace.groups[group]));
  return all.add(piece, ranks);
}

}  // namespace

TEST_CASE("regions of OpenMP are numbered once, by name, and teams for each rank") {
  TraceUnification all(kUnifiedOperations, 4);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    RecordedTrace trace = recorded(rank);
    trace.threads.resize(3);
    trace.regions = {{RecordedRegion::kParallel, "x+0x1", {}},
                     {RecordedRegion::kImplicitBarrier, "x+0x1", {}}};
    if (rank % 2 == 1) std::swap(trace.regions[0], trace.regions[1]);
    trace.teams = {{0, 2, 1}, {0, 2}};
    const PieceNumbers numbers = added(all, trace, {"main"});
    CHECK(numbers.regions == (rank % 2 == 0 ? Numbers{3, 4} : Numbers{4, 3}));
    CHECK(numbers.teams == Numbers{2 * rank, 2 * rank + 1});
    CHECK(numbers.all_communicators == 0);
  }
  CHECK(all.communicators() == 1);
  const traces::TraceDefinitions trace = all.take();
  REQUIRE(trace.regions.size() == 5);
  CHECK(trace.regions[3].name == "!$omp parallel @x+0x1");
  CHECK(trace.regions[3].kind == traces::TraceRegion::Kind::kOpenmp);
  CHECK(trace.regions[4].name == "!$omp implicit barrier @x+0x1");
  CHECK(trace.regions[4].kind == traces::TraceRegion::Kind::kOpenmpBarrier);
  CHECK(trace.teams[7] == Numbers{9, 11});
}

TEST_CASE("what ranks define is numbered once for all of them") {
  TraceUnification all(kUnifiedOperations, 4);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    RecordedTrace trace = recorded(rank);
    trace.groups = {{rank % 2, rank % 2 + 2}, {0, 2}};
    trace.communicators.push_back({100 + rank % 2, "", 0, kNoGroup, false});
    trace.windows.push_back({200 + rank % 2, 1});
    const PieceNumbers numbers = added(
        all, trace,
        rank == 0 ? std::vector<std::string>{"main", "a"} : std::vector<std::string>{"b", "main"});
    CHECK(numbers.functions == (rank == 0 ? Numbers{2, 3} : Numbers{4, 2}));
    CHECK(numbers.communicators == (rank % 2 == 0 ? Numbers{0, 1} : Numbers{0, 2}));
    CHECK(numbers.windows == Numbers{rank % 2});
    CHECK(numbers.groups == (rank % 2 == 0 ? Numbers{0, 0} : Numbers{1, 0}));
  }
  const traces::TraceDefinitions trace = all.take();
  REQUIRE(trace.regions.size() == 5);
  CHECK(trace.regions[1].name == "MPI_Barrier");
  CHECK(trace.regions[1].kind == traces::TraceRegion::Kind::kMpi);
  CHECK(trace.regions[4].name == "b");
  CHECK(trace.regions[4].kind == traces::TraceRegion::Kind::kUser);
  REQUIRE(trace.communicators.size() == 3);
  CHECK(trace.communicators[0].name == "MPI_COMM_WORLD");
  CHECK(trace.communicators[0].ranks == Numbers{0, 1, 2, 3});
  CHECK(trace.communicators[2].ranks == Numbers{1, 3});
  CHECK(trace.windows[1].communicator == 2);
  CHECK(trace.groups == std::vector<Numbers>{{0, 2}, {1, 3}});
  CHECK(trace.ranks[3].node == "n1");
  CHECK(trace.ranks[3].locations == Numbers{3});
  CHECK(trace.ranks[3].name == "MPI Rank 3");
}

TEST_CASE("a group that is known is not asked for again") {
  TraceUnification all(kUnifiedOperations, 4);
  RecordedTrace trace = recorded(0);
  trace.groups = {{0, 1}, {0, 1, 2}, {0, 1}};
  CHECK(all.new_groups(piece_of(trace, {})) == Numbers{0, 1});
  static_cast<void>(added(all, trace));
  trace = recorded(1);
  trace.groups = {{1, 2}, {0, 1}};
  CHECK(all.new_groups(piece_of(trace, {})) == Numbers{0});
}

TEST_CASE("communicators of one's self are the same for all, in the order they were made") {
  TraceUnification all(kUnifiedOperations, 4);
  RecordedTrace trace = recorded(0);
  trace.communicators.push_back({11, "MPI_COMM_SELF", kNoGroup, kNoGroup, true});
  CHECK(added(all, trace).communicators == Numbers{0, 1});
  trace = recorded(1);
  trace.communicators.push_back({12, "MPI_COMM_SELF", kNoGroup, kNoGroup, true});
  trace.communicators.push_back({13, "mine", kNoGroup, kNoGroup, true});
  CHECK(added(all, trace).communicators == Numbers{0, 1, 2});
  const traces::TraceDefinitions whole = all.take();
  CHECK(whole.communicators[1].ranks.empty());
  CHECK(whole.communicators[2].name == "mine");
}

TEST_CASE(
    "both sides of an intercommunicator have one number, and processes of other worlds none") {
  TraceUnification all(kUnifiedOperations, 4);
  RecordedTrace trace = recorded(0);
  trace.groups = {{0, 1}, {2, 3}, {traces::kNobody, 3}};
  trace.communicators.push_back({21, "", 0, 1, false});
  trace.communicators.push_back({22, "", 2, kNoGroup, false});
  CHECK(added(all, trace).communicators == Numbers{0, 1, 2});
  trace = recorded(2);
  trace.groups = {{2, 3}, {0, 1}};
  trace.communicators.push_back({21, "between", 0, 1, false});
  CHECK(added(all, trace).communicators == Numbers{0, 1});
  const traces::TraceDefinitions whole = all.take();
  CHECK(whole.communicators[1].ranks == Numbers{0, 1});
  CHECK(whole.communicators[1].remote == Numbers{2, 3});
  CHECK(whole.communicators[1].name == "between");
  CHECK(whole.communicators[2].ranks == Numbers{3});
}

TEST_CASE("the program is that of all ranks that are left, or none") {
  for (const bool several : {false, true}) {
    TraceUnification all(kUnifiedOperations, 4);
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      RecordedTrace trace = recorded(rank);
      if (rank > 0) trace.program = "/home/u/heat";
      trace.build_id = several && rank == 2 ? "1234" : "abcd";
      static_cast<void>(added(all, trace));
    }
    const traces::TraceDefinitions whole = all.take();
    CHECK(whole.program == (several ? "" : "/home/u/heat"));
    CHECK(whole.build_id == (several ? "" : "abcd"));
  }
}

TEST_CASE("times and numbers of events come from what was written, and remarks name the ranks") {
  TraceUnification all(kUnifiedOperations, 4);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    RecordedTrace trace = recorded(rank);
    trace.threads.resize(rank == 0 ? 2 : 1);
    if (rank != 1) trace.remarks = {"the disk was full"};
    static_cast<void>(added(all, trace));
  }
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    PieceResult result;
    result.events = {rank + 10};
    if (rank == 0) result.events.push_back(7);
    result.has_events = rank != 3;
    result.first = rank == 3 ? 0 : 1000 - rank;
    result.last = 2000 + rank;
    result.clock_uncertainty_ns = rank == 2 ? 2500 : 0;
    all.add_result(rank, unpacked_message<PieceResult>(packed_message(result), "a test"));
  }
  CHECK(all.begin() == 998);
  const traces::TraceDefinitions trace = all.take();
  CHECK(trace.duration == 2002 - 998);
  CHECK(trace.locations[1].events == 7);
  CHECK(trace.locations[1].thread == 1);
  CHECK(trace.locations[2].events == 11);
  CHECK(trace.remarks == std::vector<std::string>{
                             "ranks 0,2-3: the disk was full",
                             "times of different nodes may be off against each other by 2.5 us"});
}

TEST_CASE("a piece that does not fit is refused with the reason") {
  const auto refusal = [](const auto& change) {
    TraceUnification all(kUnifiedOperations, 4);
    RecordedTrace trace = recorded(1);
    change(trace);
    return error_of([&] { static_cast<void>(added(all, trace)); });
  };
  CHECK(refusal([](RecordedTrace& t) { t.rank = 4; }) ==
        "the trace of rank 4 does not fit: there is no such rank");
  CHECK(refusal([](RecordedTrace& t) {
          t.teams = {{0, 1}};
        }) == "the trace of rank 1 does not fit: a team of other threads");
  CHECK(refusal([](RecordedTrace& t) { t.operations = {"MPI_Recv"}; }) ==
        "the trace of rank 1 does not fit: it is of another version of the recorder");
  CHECK(refusal([](RecordedTrace& t) {
          t.communicators[0].group = 5;
        }).ends_with("a communicator without its group"));
  CHECK(refusal([](RecordedTrace& t) {
          t.windows.push_back({1, 9});
        }).ends_with("a window without communicator"));
  TraceUnification all(kUnifiedOperations, 4);
  static_cast<void>(added(all, recorded(1)));
  CHECK(error_of([&] {
          static_cast<void>(added(all, recorded(1)));
        }).ends_with("it has been added before"));
  CHECK(error_of<FormatError>([] {
          unpacked_message<TracePiece>("nonsense", "rank 3's message");
        }) == "rank 3's message: byte 0: found something else, expected huddle trace message 4");
}

TEST_CASE("a node's power is cut to the time of the trace's events") {
  TraceUnification all(kUnifiedOperations, 4);
  for (std::uint32_t rank = 0; rank < 4; ++rank) added(all, recorded(rank));
  PieceResult result;
  result.events = {2};
  result.has_events = true;
  result.first = 100;
  result.last = 1000;
  result.power = {{"package-0", {50, 150, 950, 1100}, {1, 1, 2, 3}},
                  {"package-1", {2000, 3000}, {5, 5}},
                  {"package-2", {500}, {5}}};
  all.add_result(2, unpacked_message<PieceResult>(packed_message(result), "a test"));
  const std::vector<traces::TracePower> power = all.take_power();
  REQUIRE(power.size() == 1);
  CHECK(power[0] ==
        traces::TracePower{"n1", "package-0", 2, {{100, 1}, {150, 1}, {950, 2}, {1000, 3}}});
}

}  // namespace huddle::recorder
