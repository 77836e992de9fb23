#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/evaluation/contention.hpp"
#include "tests/evaluation/drawn_programs.hpp"
#include "tests/evaluation/observed_profile.hpp"
#include "tests/evaluation/rounds.hpp"
#include "tests/evaluation/score.hpp"
#include "tests/evaluation/truth.hpp"

namespace huddle::evaluation {
namespace {

std::vector<Program> all_programs() {
  std::vector<Program> programs = training_programs();
  for (const Program& program : test_programs()) programs.push_back(program);
  for (const Program& program : drawn_programs(1)) programs.push_back(program);
  return programs;
}

}  // namespace

TEST_CASE("there are enough programs, each has its own name and ends with a delimiter") {
  CHECK(training_programs().size() >= 12);
  CHECK(test_programs().size() >= 10);
  std::set<std::string> names;
  for (const Program& program : all_programs()) {
    CHECK(names.insert(program.name).second);
    CHECK(is_delimiter(program.steps.back().exchange.shape));
  }
}

TEST_CASE("more sharers never make a computation faster") {
  std::vector<Cluster> clusters = all_clusters();
  for (const Cluster& cluster : other_clusters()) clusters.push_back(cluster);
  for (const Cluster& cluster : clusters) {
    for (const Program& program : all_programs()) {
      const Computation& work = program.steps.front().computation;
      const double alone = pace_of(work, cluster, {1, 1, 1}).seconds;
      const double on_die = pace_of(work, cluster, {2, 2, 2}).seconds;
      const double on_package = pace_of(work, cluster, {2, 4, 4}).seconds;
      CHECK(alone > 0);
      CHECK(on_die >= alone * (1 - 1e-9));
      CHECK(on_package >= on_die * (1 - 1e-9));
    }
  }
}

TEST_CASE("one seed draws one set of programs, another seed another") {
  const auto first_work = [](std::uint64_t seed) {
    return drawn_programs(seed).front().steps.front().computation.instructions;
  };
  CHECK(first_work(1) == first_work(1));
  CHECK(first_work(1) != first_work(2));
}

TEST_CASE("with turbo the clock falls as cores of a package become busy, and only then") {
  for (const Cluster& cluster : other_clusters()) {
    const auto clock = [&](std::uint32_t busy) {
      return pace_of({.instructions = 1e6}, cluster, {1, busy, busy}).clock_hz;
    };
    const std::uint32_t cores = cluster.node.dies_per_package * cluster.node.cores_per_die;
    CHECK(clock(1) == cluster.node.clock_hz);
    CHECK(clock(cores) == doctest::Approx(cluster.node.clock_hz *
                                          (cluster.contention == Contention::kTurbo ? 0.82 : 1)));
  }
}

TEST_CASE("a far die and a disturbed node slow their own ranks down, and no others") {
  const Computation work = all_programs().front().steps.front().computation;
  for (const Cluster& cluster : other_clusters()) {
    CAPTURE(name_of(cluster.contention));
    const double usual = pace_of(work, cluster, {1, 1, 1}).seconds;
    Sharers far{1, 1, 1};
    far.far = true;
    CHECK((pace_of(work, cluster, far).seconds > usual) ==
          (cluster.contention == Contention::kFar));
    Sharers disturbed{1, 1, 1};
    disturbed.disturbed = true;
    CHECK((pace_of(work, cluster, disturbed).seconds > usual) ==
          (cluster.contention == Contention::kNoisy));
  }
}

TEST_CASE(
    "with a stack of working sets, misses jump where one no longer fits its share of the cache") {
  Computation work{.instructions = 1e6, .references = 0.01, .most_misses = 1};
  for (const Cluster& cluster : other_clusters()) {
    if (cluster.contention != Contention::kStack) continue;
    work.footprint_bytes = 0.8 * cluster.node.cache_bytes;
    const auto misses = [&](std::uint32_t ranks) {
      return pace_of(work, cluster, {ranks, ranks, ranks}).misses / (1e6 * 0.01);
    };
    CHECK(misses(1) == doctest::Approx(0));
    CHECK(misses(2) == doctest::Approx(0.25));
  }
}

TEST_CASE("a queue's latency is the solution of its own equation") {
  Cluster cluster = all_clusters()[2];
  REQUIRE(cluster.contention == Contention::kQueueing);
  Computation work = {.instructions = 1e6,
                      .base_cpi = 1,
                      .references = 0.01,
                      .least_misses = 1,
                      .most_misses = 1,
                      .footprint_bytes = 1e6,
                      .bytes_per_miss = 64,
                      .parallelism = 2};
  const double time = pace_of(work, cluster, {1, 2, 2}).seconds;
  const NodeHardware& node = cluster.node;
  const double misses = 1e4;
  const double busy = misses * 64 * 2 / node.package_bandwidth / time;
  const double computing = 1e6 / node.clock_hz + misses * node.cache_latency_s / 2;
  const double latency = misses * node.memory_latency_s / 2;
  CHECK(time == doctest::Approx(computing + latency * (1 + 0.6 * busy * busy / (1 - busy))));
}

TEST_CASE("what is sent is received, in every shape") {
  for (const Shape shape : {Shape::kHalo2d, Shape::kHalo3d, Shape::kButterfly, Shape::kWavefront,
                            Shape::kAllreduce, Shape::kPairs}) {
    for (const std::uint32_t ranks : {2U, 16U, 64U, 128U}) {
      std::map<std::pair<std::uint32_t, std::uint32_t>, double> balance;
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        for (const Round& round : rounds_of({shape, 1e5, 0, 1}, rank, ranks)) {
          for (const Message& sent : round.sends) balance[{rank, sent.peer}] += sent.bytes;
          for (const Message& got : round.receives) balance[{got.peer, rank}] -= got.bytes;
        }
      }
      for (const auto& [pair, bytes] : balance) {
        CHECK(pair.first != pair.second);
        CHECK(bytes == doctest::Approx(0));
      }
    }
  }
}

TEST_CASE("Kendall's tau") {
  CHECK(kendall({1, 2, 3}, {10, 20, 30}) == doctest::Approx(1));
  CHECK(kendall({1, 2, 3}, {3, 2, 1}) == doctest::Approx(-1));
  CHECK(kendall({1, 1, 1}, {3, 2, 1}) == 0);
  CHECK(kendall({1, 2, 2}, {1, 2, 3}) == doctest::Approx(2 / std::sqrt(6.0)));
}

TEST_CASE("a choice is scored against the best pattern within the bound") {
  const Truths truths = {
      {"1:1:1", {10, 12, 100, 4}}, {"1:1:2", {10, 12.5, 60, 2}}, {"1:2:2", {11, 14, 40, 1}}};
  const auto scored = [&](const char* chosen) {
    const Answer answer = {
        chosen, "1:1:1", {{"1:1:1", {10, 12}}, {"1:1:2", {11, 13}}, {"1:2:2", {12, 14}}}};
    return score_of(answer, truths, {"1:1:1"});
  };
  CHECK(scored("1:1:2").good);
  CHECK(scored("1:1:2").saved == doctest::Approx(0.4));
  CHECK(scored("1:1:2").computation_errors.size() == 2);
  CHECK(scored("1:2:2").slowdown > 0.06);
  CHECK_FALSE(scored("1:2:2").good);
  CHECK(scored("").regret == doctest::Approx(100.0 / 60 - 1));
}

TEST_CASE("a simulated run gives a valid profile that adds up") {
  const Cluster cluster = all_clusters().front();
  const commgraph::NodeTopology node = commgraph::load_topology(cluster.topology());
  for (const Program& program : test_programs()) {
    const Placement placement = in_rank_order({2, 1, 2}, node, 16);
    Run run(16);
    for (RankTimes& times : run) {
      times.computing.assign(program.steps.size(), 0.5);
      times.exchanging.assign(program.steps.size(), 0.1);
      times.run = 0.6 * static_cast<double>(program.steps.size());
    }
    const Profile profile = observed_profile(cluster, program, placement, run, Counting::kEvents);
    CHECK(profile.rank_records.size() == 16);
    CHECK(profile.nodes().size() == 4);
    const Truth truth = truth_of(cluster, program, placement, run);
    CHECK(profile.mean_computation_time().value ==
          doctest::Approx(truth.computation_s).epsilon(0.01));
    CHECK(profile.run_time().value == doctest::Approx(truth.time_s).epsilon(0.02));
  }
}

}  // namespace huddle::evaluation
