#include "profiles/balancing/clock_choice.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "profiles/balancing/clock_regrouping.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::balancing {
namespace {

/// A machine and its loads, drawn at random.
struct DrawnLoads {
  explicit DrawnLoads(std::mt19937_64& random) : steps(drawn_steps(random)) {
    std::uniform_real_distribution<double> share(0, 1);
    const auto cores = 1 + random() % 40;
    domains = static_cast<std::uint32_t>(1 + random() % cores);
    for (std::uint64_t core = 0; core < cores; ++core) {
      const double shape = share(random);
      const double seconds = share(random) < 0.05 ? 0 : 0.001 + shape * shape;
      work.push_back({{seconds}, share(random) < 0.3 ? 1 : share(random)});
      domain_of.push_back(static_cast<std::uint32_t>(random() % domains));
    }
  }

  static ClockSteps drawn_steps(std::mt19937_64& random) {
    std::vector<Hertz> clocks;
    const auto count = 1 + random() % 16;
    for (std::uint64_t i = 0; i < count; ++i)
      clocks.push_back({0.8e9 + static_cast<double>(random() % 3000) * 1e6});
    return ClockSteps(clocks);
  }

  ClockSteps steps;
  std::vector<Workload> work;
  std::vector<std::uint32_t> domain_of;
  std::uint32_t domains = 1;
};

}  // namespace

TEST_CASE(
    "in 100,000 random cases the critical core has the top clock, and nobody is later than it") {
  std::mt19937_64 random(21);
  std::uint64_t violations = 0;
  for (int round = 0; round < 100'000; ++round) {
    const DrawnLoads drawn(random);
    const ClockChoice choice =
        choose_clocks(drawn.work, drawn.domain_of, drawn.domains, drawn.steps);
    const Hertz top = drawn.steps.most();
    if (choice.clocks.size() != drawn.domains) ++violations;  // one clock for each domain
    std::vector<Workload> as_measured;
    for (std::size_t core = 0; core < drawn.work.size(); ++core) {
      const Workload& work = drawn.work[core];
      const Hertz clock = choice.clocks[drawn.domain_of[core]];
      const auto& steps = drawn.steps.ascending();
      if (std::find(steps.begin(), steps.end(), clock) == steps.end()) ++violations;
      if (work.time == choice.length && choice.length.value > 0 && clock != top) ++violations;
      const Seconds time = time_at(work, clock, top);
      if (time.value > choice.length.value * (1 + 1e-8)) ++violations;
      as_measured.push_back(workload_of(time, clock, top, work.sensitivity));
    }
    // The loads then measured at those clocks lead to the same clocks again: idempotent.
    const ClockChoice again =
        choose_clocks(as_measured, drawn.domain_of, drawn.domains, drawn.steps);
    if (again.clocks != choice.clocks) ++violations;
    // And so do those measured at any other clocks.
    for (std::size_t core = 0; core < drawn.work.size(); ++core) {
      const Hertz other = drawn.steps.ascending()[random() % drawn.steps.ascending().size()];
      as_measured[core] = workload_of(time_at(drawn.work[core], other, top), other, top,
                                      drawn.work[core].sensitivity);
    }
    if (choose_clocks(as_measured, drawn.domain_of, drawn.domains, drawn.steps).clocks !=
        choice.clocks)
      ++violations;
  }
  CHECK(violations == 0);
}

TEST_CASE("no lower clock would do, for any domain") {
  std::mt19937_64 random(22);
  for (int round = 0; round < 5000; ++round) {
    const DrawnLoads drawn(random);
    const ClockChoice choice =
        choose_clocks(drawn.work, drawn.domain_of, drawn.domains, drawn.steps);
    const auto steps = drawn.steps.ascending();
    for (std::uint32_t domain = 0; domain < drawn.domains; ++domain) {
      const auto at = std::find(steps.begin(), steps.end(), choice.clocks[domain]);
      if (at == steps.begin()) continue;
      bool late = false;
      for (std::size_t core = 0; core < drawn.work.size(); ++core) {
        if (drawn.domain_of[core] != domain) continue;
        late = late || drawn.work[core].time == choice.length ||
               time_at(drawn.work[core], *std::prev(at), steps.back()).value > choice.length.value;
      }
      CHECK(late);
    }
  }
}

TEST_CASE(
    "the imbalance is the longest work over the shortest, and clocks can level out their own "
    "range") {
  const ClockSteps steps({{1.2e9}, {1.8e9}, {2.4e9}});
  const std::vector<std::uint32_t> own = {0, 1, 2};
  const std::vector<Workload> within = {{{1.0}}, {{0.75}}, {{0.5}}};
  const ClockChoice choice = choose_clocks(within, own, 3, steps);
  CHECK(choice.imbalance == doctest::Approx(2));
  CHECK_FALSE(choice.beyond_clocks);
  CHECK(choice.clocks == std::vector<Hertz>{{2.4e9}, {1.8e9}, {1.2e9}});

  const std::vector<Workload> beyond = {{{1.0}}, {{0.75}}, {{0.4}}};
  const ClockChoice more = choose_clocks(beyond, own, 3, steps);
  CHECK(more.beyond_clocks);
  CHECK(more.clocks.back() == Hertz{1.2e9});  // who can wait waits at the least clock all the same
  CHECK(imbalance_of(std::vector<Workload>{{{1.0}}, {{0.0}}}) ==
        std::numeric_limits<double>::infinity());
  CHECK(imbalance_of({}) == 1);
}

TEST_CASE("work that waits for memory is slowed down further than work that computes") {
  const ClockSteps steps({{1.2e9}, {1.6e9}, {2.0e9}, {2.4e9}});
  CHECK(least_clock({{0.7}, 1}, {1}, steps) == Hertz{2.0e9});
  CHECK(least_clock({{0.7}, 0.5}, {1}, steps) == Hertz{1.6e9});
  CHECK(least_clock({{0.7}, 0}, {1}, steps) == Hertz{1.2e9});
  CHECK(least_clock({{1.5}, 1}, {1}, steps) == Hertz{2.4e9});
}

TEST_CASE("clocks are refused that are none, and cores in no domain") {
  CHECK_THROWS_AS(ClockSteps(std::vector<Hertz>{}), Error);
  CHECK_THROWS_AS(ClockSteps(std::vector<Hertz>{{0}}), Error);
  CHECK_THROWS_AS(ClockSteps(std::vector<Hertz>{{std::numeric_limits<double>::quiet_NaN()}}),
                  Error);
  const ClockSteps steps(std::vector<Hertz>{{1e9}});
  CHECK_THROWS_AS(choose_clocks(std::vector<Workload>{{{1}}}, {}, 1, steps), Error);
  CHECK_THROWS_AS(
      choose_clocks(std::vector<Workload>{{{1}}}, std::vector<std::uint32_t>{1}, 1, steps), Error);
}

TEST_CASE("regrouping seats every rank once, and no other seating needs less") {
  std::mt19937_64 random(23);
  std::uniform_real_distribution<double> share(0.05, 1);
  const ClockSteps steps({{1.2e9}, {1.5e9}, {1.8e9}, {2.1e9}, {2.4e9}});
  for (int round = 0; round < 300; ++round) {
    std::vector<Workload> work;
    for (int rank = 0; rank < 6; ++rank) work.push_back({{share(random)}, 1});
    work[random() % 6].time = {1};
    const std::vector<std::uint32_t> domain_of = {7, 7, 7, 9, 9, 9};
    const ClockRegrouping grouping = regroup_by_load(work, domain_of, {1}, steps);
    std::vector<std::uint32_t> seats = grouping.core_of;
    std::sort(seats.begin(), seats.end());
    CHECK(seats == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5});

    const auto cost = [&](const std::vector<std::uint32_t>& ranks) {
      double sum = 0;
      for (const std::size_t first : {0U, 3U}) {
        Hertz clock;
        for (std::size_t i = first; i < first + 3; ++i)
          clock = std::max(clock, least_clock(work[ranks[i]], {1}, steps));
        sum += 3 * std::pow(clock / steps.most(), 3);
      }
      return sum;
    };
    std::vector<std::uint32_t> order = {0, 1, 2, 3, 4, 5};
    double best = 1e9;
    do best = std::min(best, cost(order));
    while (std::next_permutation(order.begin(), order.end()));
    CHECK(grouping.clocks_after == doctest::Approx(best));
    std::uint32_t moved = 0;
    for (std::uint32_t rank = 0; rank < 6; ++rank)
      if (grouping.core_of[rank] != rank) ++moved;
    CHECK(moved == grouping.moved);
  }
}

TEST_CASE("ranks that are grouped well already stay") {
  const ClockSteps steps({{1.2e9}, {2.4e9}});
  const std::vector<Workload> work = {{{1.0}}, {{0.9}}, {{0.2}}, {{0.3}}};
  const ClockRegrouping grouping =
      regroup_by_load(work, std::vector<std::uint32_t>{0, 0, 1, 1}, {1}, steps);
  CHECK(grouping.moved == 0);
  CHECK(grouping.core_of == std::vector<std::uint32_t>{0, 1, 2, 3});
}

}  // namespace huddle::balancing
