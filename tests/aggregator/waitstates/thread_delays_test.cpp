// What threads waited for each other, from a trace to its causes.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/aggregator/waitstates/found_delays.hpp"

using namespace huddle;

namespace {

Event lock_event(EventKind kind, std::uint64_t order) {
  Event event = of_team(kind, 5);
  event.request = order;
  return event;
}

void critical(MemoryTrace& trace, std::uint32_t location, std::uint64_t from, std::uint64_t got,
              std::uint64_t until, std::uint64_t order) {
  trace.enter(location, from, "omp critical");
  trace.add(location, got, lock_event(EventKind::kLockAcquired, order));
  trace.enter(location, got, "guarded");
  trace.leave(location, until, "guarded");
  trace.add(location, until, lock_event(EventKind::kLockReleased, order));
  trace.leave(location, until, "omp critical");
}

// A rank of two threads in one team.
struct TwoThreads {
  explicit TwoThreads(std::uint32_t ranks = 1)
      : trace(ranks), second(trace.add_thread(0)), team(trace.add_team({0, second})) {}

  void begin(std::uint64_t time) {
    for (const std::uint32_t location : {0U, second})
      trace.add(location, time, of_team(EventKind::kTeamBegin, team));
  }
  void end(std::uint64_t time) {
    for (const std::uint32_t location : {0U, second})
      trace.add(location, time, of_team(EventKind::kTeamEnd, team));
  }

  MemoryTrace trace;
  std::uint32_t second;
  std::uint32_t team;
};

// A rank of three threads in one team from 0 on.
struct ThreeThreads {
  ThreeThreads() {
    for (const std::uint32_t location : {0U, second, third})
      trace.add(location, 0, of_team(EventKind::kTeamBegin, team));
  }
  void end(std::uint64_t time) {
    for (const std::uint32_t location : {0U, second, third})
      trace.add(location, time, of_team(EventKind::kTeamEnd, team));
  }

  MemoryTrace trace{1};
  std::uint32_t second = trace.add_thread(0);
  std::uint32_t third = trace.add_thread(0);
  std::uint32_t team = trace.add_team({0, second, third});
};

}  // namespace

TEST_CASE("who came last to a barrier of its team was late where it spent more than who waits") {
  TwoThreads rank;
  rank.begin(0);
  rank.trace.call(0, 0, 100, "f");
  rank.trace.call(0, 100, 410, "omp barrier");
  rank.trace.call(rank.second, 0, 150, "f");
  rank.trace.call(rank.second, 150, 400, "g");
  rank.trace.call(rank.second, 400, 410, "omp barrier");
  rank.end(420);
  const FoundDelays found = delays_in(rank.trace);
  CHECK(found.delays.waiting == 300);
  CHECK(found.delays.unknown == 0);
  INFO(found.text());
  CHECK(found.costs() == FoundCosts{{{"f", 0, 1}, {50, 0}}, {{"g", 0, 1}, {250, 0}}});
}

TEST_CASE("a thread that came late to its team was late before it did anything") {
  TwoThreads rank;
  rank.trace.add(0, 0, of_team(EventKind::kTeamBegin, rank.team));
  rank.trace.call(0, 0, 100, "f");
  rank.trace.call(0, 100, 210, "omp barrier");
  rank.trace.enter(rank.second, 0, "pool");
  rank.trace.add(rank.second, 100, of_team(EventKind::kTeamBegin, rank.team));
  rank.trace.call(rank.second, 100, 200, "f");
  rank.trace.call(rank.second, 200, 210, "omp barrier");
  rank.end(210);
  rank.trace.leave(rank.second, 220, "pool");
  CHECK(delays_in(rank.trace).costs() == FoundCosts{{{"pool", 0, 1}, {100, 0}}});
}

TEST_CASE("who waits for a lock waits for what its holders do with it") {
  TwoThreads rank;
  rank.begin(0);
  critical(rank.trace, 0, 10, 10, 200, 1);
  critical(rank.trace, rank.second, 50, 200, 250, 2);
  rank.trace.call(0, 250, 260, "omp barrier");
  rank.trace.call(rank.second, 250, 260, "omp barrier");
  rank.end(260);
  const FoundDelays found = delays_in(rank.trace);
  CHECK(waits_in(found.report) ==
        FoundWaits{{{"openmp_lock_contention", rank.second, "omp critical"}, 150}});
  CHECK(found.delays.unknown == 0);
  INFO(found.text());
  CHECK(found.costs() == FoundCosts{{{"omp critical/guarded", 0, 0}, {150, 0}}});
}

TEST_CASE("of several that had the lock meanwhile each is late by its own time with it") {
  ThreeThreads rank;
  critical(rank.trace, 0, 0, 0, 100, 1);
  critical(rank.trace, rank.second, 100, 100, 130, 2);
  critical(rank.trace, rank.third, 40, 130, 140, 3);
  for (const std::uint32_t location : {0U, rank.second, rank.third})
    rank.trace.call(location, 140, 150, "omp barrier");
  rank.end(160);
  const FoundDelays found = delays_in(rank.trace);
  INFO(found.text());
  CHECK(found.costs() == FoundCosts{{{"omp critical/guarded", 0, 0}, {60, 0}},
                                    {{"omp critical/guarded", 0, 1}, {30, 0}}});
}

TEST_CASE("a wait for a lock passes on what others waited for its thread at the next barrier") {
  ThreeThreads rank;
  critical(rank.trace, 0, 0, 0, 100, 1);
  critical(rank.trace, rank.second, 0, 100, 100, 2);
  rank.trace.call(0, 100, 101, "omp barrier");
  rank.trace.call(rank.second, 100, 101, "omp barrier");
  rank.trace.call(rank.third, 0, 101, "omp barrier");
  rank.end(110);
  // The third waits for the first, the second for the lock: all for the first in "guarded".
  const FoundDelays found = delays_in(rank.trace);
  INFO(found.text());
  CHECK(found.costs() == FoundCosts{{{"omp critical/guarded", 0, 0}, {200, 0}}});
  // Were the second one last, the third's wait would be passed on by its wait for the lock.
  ThreeThreads later;
  critical(later.trace, 0, 0, 0, 100, 1);
  critical(later.trace, later.second, 0, 100, 200, 2);
  later.trace.call(0, 100, 201, "omp barrier");
  later.trace.call(later.second, 200, 201, "omp barrier");
  later.trace.call(later.third, 0, 201, "omp barrier");
  later.end(210);
  // The first waits 100 for the second, whose time with the lock is no longer than its own, so that
  // its wait for the lock counts alone. The third waits 200: half for the lock.
  CHECK(delays_in(later.trace).costs() == FoundCosts{{{"omp critical/guarded", 0, 0}, {100, 200}},
                                                     {{"omp critical/guarded", 0, 1}, {100, 0}}});
}

TEST_CASE("a lock of a thread that comes to no common barrier has no known cause") {
  TwoThreads rank;
  critical(rank.trace, 0, 10, 10, 200, 1);
  critical(rank.trace, rank.second, 50, 200, 250, 2);
  const FoundDelays found = delays_in(rank.trace);
  CHECK(found.delays.waiting == 0);
  CHECK(found.delays.unknown == 150);
  CHECK(found.delays.costs.empty());
}

TEST_CASE("what made a rank's threads late made others late that wait for the rank") {
  TwoThreads ranks(2);
  ranks.trace.call(0, 0, 5, "MPI_Barrier", {collective(Collective::kBarrier)});
  ranks.trace.call(1, 0, 5, "MPI_Barrier", {collective(Collective::kBarrier)});
  ranks.begin(10);
  ranks.trace.call(0, 10, 310, "omp barrier");
  ranks.trace.call(ranks.second, 10, 310, "slow");
  ranks.trace.call(ranks.second, 310, 310, "omp barrier");
  ranks.end(310);
  ranks.trace.call(0, 310, 320, "MPI_Send", {sent(1)});
  ranks.trace.call(1, 10, 320, "MPI_Recv", {received(0)});
  const FoundDelays found = delays_in(ranks.trace);
  CHECK(found.delays.waiting == 600);
  // 300 of the first thread's, and 300 of rank 1's that it passed on.
  INFO(found.text());
  CHECK(found.costs() == FoundCosts{{{"slow", 0, 1}, {300, 300}}});
}

TEST_CASE("of a rank's wait in OpenMP that began before the ranks met a part counts as behind it") {
  TwoThreads ranks(2);
  ranks.begin(0);
  ranks.trace.call(0, 0, 100, "f");
  ranks.trace.call(0, 100, 1100, "omp barrier");
  ranks.trace.call(ranks.second, 0, 500, "slow");
  ranks.trace.call(ranks.second, 500, 1100, "omp barrier");
  ranks.end(1100);
  ranks.trace.call(0, 1100, 2000, "f");
  ranks.trace.call(0, 2000, 2005, "MPI_Send", {sent(1)});
  ranks.trace.call(1, 1500, 2005, "MPI_Recv", {received(0)});
  // Both are compared from 1500 on, where rank 1 began: behind that is half of what rank 0 spent in
  // the barrier, of which it waited 400 of 1000.
  const FoundDelays found = delays_in(ranks.trace);
  INFO(found.text());
  CHECK(found.delays.waiting == 400 + 500);
  CHECK(found.costs() ==
        FoundCosts{{{"omp barrier", 0, 0}, {300, 0}}, {{"slow", 0, 1}, {400, 200}}});
}

TEST_CASE("what a first thread waits for in MPI is what its team waits for") {
  TwoThreads ranks(2);
  ranks.begin(0);
  ranks.trace.call(0, 0, 300, "MPI_Recv", {received(1)});
  ranks.trace.call(0, 300, 310, "omp barrier");
  ranks.trace.call(ranks.second, 0, 310, "omp barrier");
  ranks.end(310);
  ranks.trace.call(1, 0, 300, "slow");
  ranks.trace.call(1, 300, 300, "MPI_Send", {sent(0)});
  const FoundDelays found = delays_in(ranks.trace);
  CHECK(found.delays.waiting == 600);
  INFO(found.text());
  CHECK(found.costs() == FoundCosts{{{"slow", 1, 0}, {300, 300}}});
}

namespace {

// Teams of three threads on two ranks that compute, take locks, and exchange messages.
MemoryTrace random_teams(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto up_to = [&](std::uint64_t most) { return random() % (most + 1); };
  MemoryTrace trace(2);
  std::uint64_t times[2] = {0, 0};
  std::vector<std::uint32_t> locations[2] = {{0}, {1}};
  std::uint32_t teams[2];
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    for (int thread = 1; thread < 3; ++thread) locations[rank].push_back(trace.add_thread(rank));
    teams[rank] = trace.add_team(locations[rank]);
  }
  std::uint64_t orders[2] = {0, 0};
  for (int round = 0; round < 10; ++round) {
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      std::uint64_t now[3];
      for (std::uint32_t thread = 0; thread < 3; ++thread) {
        now[thread] = times[rank] + up_to(9);
        const std::uint32_t location = locations[rank][thread];
        trace.add(location, now[thread], of_team(EventKind::kTeamBegin, teams[rank]));
        const std::uint64_t until = now[thread] + 1 + up_to(200);
        trace.call(location, now[thread], until, up_to(1) == 0 ? "f" : "g");
        now[thread] = until;
      }
      std::uint64_t free = 0;
      for (std::uint64_t taken = up_to(6); taken > 0; --taken) {
        // In the order in which they ask for it.
        const auto thread = static_cast<std::uint32_t>(std::min_element(now, now + 3) - now);
        const std::uint64_t got = std::max(free, now[thread]);
        const std::uint64_t until = got + up_to(80);
        critical(trace, locations[rank][thread], now[thread], got, until, ++orders[rank]);
        now[thread] = free = until;
      }
      const std::uint64_t all = *std::max_element(now, now + 3);
      for (std::uint32_t thread = 0; thread < 3; ++thread) {
        trace.call(locations[rank][thread], now[thread], all + up_to(5), "omp barrier");
        trace.add(locations[rank][thread], all + 5, of_team(EventKind::kTeamEnd, teams[rank]));
      }
      times[rank] = all + 10;
    }
    const std::uint64_t sent_at = times[0];
    trace.call(0, sent_at, sent_at + 5, "MPI_Send", {sent(1)});
    const std::uint64_t received_at = std::max(times[1], sent_at) + 5;
    trace.call(1, times[1], received_at, "MPI_Recv", {received(0)});
    trace.call(1, received_at, received_at + 5, "MPI_Send", {sent(0)});
    trace.call(0, sent_at + 5, received_at + 10, "MPI_Recv", {received(1)});
    times[0] = received_at + 10;
    times[1] = received_at + 5;
  }
  return trace;
}

}  // namespace

TEST_CASE("delays in random teams add up to what their threads and ranks waited") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    MemoryTrace trace = random_teams(seed);
    const FoundDelays found = delays_in(trace);
    CHECK(found.openmp_waiting() > 0);
    CHECK(found.delays.unknown == 0);
    CHECK(found.delays.waiting == found.waited());
    CHECK(found.sum() == doctest::Approx(static_cast<double>(found.waited())));
    CHECK(delays_in(trace, 3).delays.costs == found.delays.costs);
    for (const std::size_t turn : {1U, 5U})
      CHECK(delays_in(trace, 1, turn).delays.costs == found.delays.costs);
    for (const DelayCost& cost : found.delays.costs) {
      CHECK(cost.short_term >= 0);
      CHECK(cost.long_term >= 0);
    }
  }
}
