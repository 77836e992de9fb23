#include <doctest/doctest.h>

#include <map>
#include <vector>

#include "tests/aggregator/waitstates/found_waits.hpp"

using namespace huddle;

namespace {

struct Reported : waitstates::ActivitySink {
  std::map<std::uint32_t, std::vector<waitstates::Activity>> activities;
  std::map<std::uint32_t, std::vector<waitstates::Dependency>> dependencies;
  std::map<std::uint32_t, std::vector<std::string>> paths;

  void add(std::uint32_t rank, const waitstates::Activity& activity) override {
    activities[rank].push_back(activity);
  }
  void add(std::uint32_t rank, const waitstates::Dependency& dependency) override {
    CHECK(dependency.activity < activities[rank].size());
    dependencies[rank].push_back(dependency);
  }
  void add_path(std::uint32_t rank, std::uint32_t path, std::uint32_t parent, std::uint32_t region,
                bool mpi) override {
    CHECK(path == paths[rank].size());
    const std::string above =
        parent == waitstates::CallPath::kRoot ? "" : paths[rank].at(parent) + "/";
    paths[rank].push_back(above + std::to_string(region) + (mpi ? "!" : ""));
  }
};

Reported reported_by(waitstates::MemoryTrace& trace) {
  Reported reported;
  waitstates::AnalysisOptions options;
  options.power = waitstates::two_states();
  options.activities = &reported;
  waitstates::analyse_wait_states(trace, options);
  return reported;
}

}  // namespace

TEST_CASE("activities are reported with the computation before them and what they depend on") {
  waitstates::MemoryTrace trace(2);
  trace.enter(0, 10, "main");
  trace.call(0, 20, 90, "solve");
  trace.call(0, 100, 400, "MPI_Ssend", {waitstates::sent(1)});
  trace.call(1, 50, 51, "MPI_Irecv", {waitstates::irecv(1)});
  trace.call(1, 60, 300, "MPI_Wait", {waitstates::irecv_ends(1, 0)});
  trace.leave(0, 500, "main");
  Reported reported = reported_by(trace);
  REQUIRE(reported.activities[0].size() == 3);
  const waitstates::Activity& send = reported.activities[0][1];
  CHECK(send.enter == 90);  // since the first event
  CHECK(send.leave == 390);
  CHECK(reported.paths[0][send.call_path] == "0/2!");
  // Two parts of main, 10 before solve and 10 behind it, are one: the order is that of their begin.
  CHECK(reported.paths[0][send.before] == "0/1");
  const waitstates::Activity& before = reported.activities[0][0];
  CHECK(before.ends_computation());
  CHECK(before.leave == 20);
  CHECK(reported.paths[0][before.before] == "0");
  const waitstates::Activity& behind = reported.activities[0][2];
  CHECK(behind.ends_computation());
  CHECK(behind.leave == 490);
  CHECK(reported.paths[0][behind.before] == "0");
  REQUIRE(reported.activities[1].size() == 2);
  REQUIRE(reported.dependencies[1].size() == 1);
  const waitstates::Dependency& message = reported.dependencies[1][0];
  CHECK(message.kind == waitstates::DependencyKind::kMessage);
  CHECK(message.activity == 1);
  CHECK(message.begun_by == 0);
  CHECK(message.on == 1);
  CHECK(message.rank == 0);
  CHECK(reported.dependencies[0].empty());
}

TEST_CASE("what a trace that ends inside a call spent before it is reported, and no more") {
  waitstates::MemoryTrace trace(1);
  trace.enter(0, 10, "a");
  trace.leave(0, 40, "a");
  trace.enter(0, 40, "b");
  trace.leave(0, 60, "b");
  trace.enter(0, 70, "MPI_Test");
  trace.enter(0, 90, "c");
  Reported reported = reported_by(trace);
  REQUIRE(reported.activities[0].size() == 3);
  CHECK(reported.activities[0][0].leave == 30);
  CHECK(reported.activities[0][1].leave == 50);
  CHECK(reported.activities[0][2].leave == 60);  // in no region
  for (const waitstates::Activity& part : reported.activities[0]) CHECK(part.ends_computation());
}

TEST_CASE("a sender that waits depends on the call that posts the receive") {
  waitstates::MemoryTrace trace(2);
  trace.call(0, 5, 6, "MPI_Test");
  trace.call(0, 100, 400, "MPI_Ssend", {waitstates::sent(1)});
  trace.call(1, 300, 301, "MPI_Irecv", {waitstates::irecv(1)});
  trace.call(1, 310, 410, "MPI_Wait", {waitstates::irecv_ends(1, 0)});
  Reported reported = reported_by(trace);
  REQUIRE(reported.dependencies[0].size() == 1);
  const waitstates::Dependency& receiver = reported.dependencies[0][0];
  CHECK(receiver.kind == waitstates::DependencyKind::kReceiver);
  CHECK(receiver.activity == 1);
  CHECK(receiver.begun_by == 1);
  CHECK(receiver.on == 0);
  CHECK(receiver.rank == 1);
}

TEST_CASE("members of a collective report one number, their place, and whom they depend on") {
  waitstates::MemoryTrace trace(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    trace.call(rank, 100, 110, "MPI_Bcast",
               {waitstates::collective(traces::Collective::kFromRoot, 1)});
    trace.call(rank, 200, 210, "MPI_Barrier",
               {waitstates::collective(traces::Collective::kBarrier)});
  }
  Reported reported = reported_by(trace);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    REQUIRE(reported.dependencies[rank].size() == 2);
    const waitstates::Dependency& broadcast = reported.dependencies[rank][0];
    CHECK(broadcast.kind == (rank == 1 ? waitstates::DependencyKind::kCollectivePart
                                       : waitstates::DependencyKind::kCollectiveRoot));
    CHECK(broadcast.root == 1);
    CHECK(broadcast.place == rank);
    CHECK(broadcast.members == 3);
    CHECK(broadcast.on == reported.dependencies[0][0].on);
    const waitstates::Dependency& barrier = reported.dependencies[rank][1];
    CHECK(barrier.kind == waitstates::DependencyKind::kCollectiveAll);
    CHECK(barrier.on == reported.dependencies[0][1].on);
    CHECK(barrier.on != broadcast.on);
  }
}
