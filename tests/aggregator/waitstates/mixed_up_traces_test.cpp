#include <doctest/doctest.h>

#include <random>

#include "tests/aggregator/waitstates/found_waits.hpp"

using namespace huddle;

namespace {

// Events that have nothing to do with each other. Names of things are mostly such that exist.
waitstates::MemoryTrace nonsense(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t limit) {
    return static_cast<std::uint32_t>(random() % limit);
  };
  waitstates::MemoryTrace trace(2 + below(4));
  const auto ranks = static_cast<std::uint32_t>(trace.all.ranks.size());
  trace.add_communicator({1, 0});
  trace.add_communicator({0}, {1});
  trace.add_window(0);
  trace.add_window(1);
  trace.add_group({0, 1});
  trace.add_group({1, 1, 0});
  trace.add_thread(0);
  trace.add_team({0, ranks});
  trace.add_team({0, 1});
  trace.add_team({0, 17});
  for (const char* const name : {"main", "MPI_A", "MPI_B", "omp barrier"}) trace.region(name);
  for (std::uint32_t rank = 0; rank < trace.events.size(); ++rank) {
    std::uint64_t time = below(100);
    for (std::uint32_t left = below(400); left > 0; --left) {
      traces::Event event;
      event.kind = static_cast<traces::EventKind>(below(2) == 0 ? below(2) : below(23));
      // Two threads of MPI in one rank have no order.
      if (rank == ranks && event.kind > traces::EventKind::kLeave &&
          event.kind < traces::EventKind::kTeamBegin)
        event.kind = traces::EventKind::kEnter;
      event.collective = static_cast<traces::Collective>(below(7));
      event.subject = below(5);
      event.peer = below(9) == 0 ? traces::kNobody : below(ranks + 1);
      event.tag = below(2);
      event.request = below(6);
      event.group = below(4);
      trace.add(rank, time += below(20), event);
    }
  }
  return trace;
}

waitstates::WaitReport nonsense_in_turns(waitstates::MemoryTrace& trace, std::size_t events) {
  waitstates::AnalysisOptions options;
  options.power = waitstates::two_states();
  options.timeline_bins = 7;
  options.turn = events;
  return waitstates::analyse_wait_states(trace, options);
}

}  // namespace

TEST_CASE("nonsense gives a result, and one result whatever the order of the replay") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    waitstates::MemoryTrace trace = nonsense(seed);
    CAPTURE(seed);
    const waitstates::WaitReport report = nonsense_in_turns(trace, 1024);
    for (const waitstates::PathTime& time : report.times) {
      std::uint64_t waited = 0;
      for (const waitstates::PathWaits& wait : report.waits)
        if (wait.call_path == time.call_path && wait.location == time.location)
          waited += wait.ticks;
      CHECK(waited <= time.ticks);
    }
    for (const std::size_t events : {1U, 2U, 7U})
      CHECK(waitstates::difference(nonsense_in_turns(trace, events), report) == "");
  }
}
