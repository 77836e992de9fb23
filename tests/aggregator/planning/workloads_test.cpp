// Tests of promises whose program's work changes, as with its input.

#include "aggregator/planning/detail/life/workloads.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "aggregator/planning/promise.hpp"

namespace huddle::planning {
namespace {

// The pattern was predicted to take between 5 % less time and none.
constexpr PromiseRules kRules{0.05, 20, -0.05};

/// "s" and "p": runs as submitted and packed, of so many seconds.
std::vector<ComparedRun> runs_of(const std::vector<std::pair<char, double>>& runs) {
  std::vector<ComparedRun> compared;
  for (const auto& [kind, seconds] : runs) compared.push_back({kind == 'p', {seconds}});
  return compared;
}

PromiseVerdict verdict_of(const std::vector<std::pair<char, double>>& runs) {
  return judge_promise(runs_of(runs), kRules);
}

TEST_CASE("packed runs that took half the time are taken for another workload, not for a saving") {
  const PromiseVerdict verdict = verdict_of({{'s', 1000}, {'p', 472}, {'p', 470}, {'p', 474}});
  CHECK(verdict.state == PromiseState::kOtherWorkload);
  CHECK(verdict.next == NextRun::kAsSubmitted);
  CHECK(verdict.packed_runs == 0);
  CHECK(verdict.unexplained_runs == 3);
  CHECK(verdict.unexplained_change == doctest::Approx(-0.528).epsilon(0.001));
}

TEST_CASE("those that it explains count, beside the others") {
  const PromiseVerdict verdict = verdict_of({{'s', 1000}, {'p', 960}, {'p', 990}, {'p', 472}});
  CHECK(verdict.packed_runs == 2);
  CHECK(verdict.slowdown == doctest::Approx(-0.025).epsilon(0.01));
  CHECK(verdict.unexplained_runs == 1);
  CHECK(verdict.next == NextRun::kAsSubmitted);
}

TEST_CASE(
    "a run as submitted shows that the work has changed: the packed ones are compared with it") {
  const PromiseVerdict verdict =
      verdict_of({{'s', 1000}, {'p', 990}, {'p', 472}, {'p', 470}, {'s', 480}});
  CHECK(verdict.state == PromiseState::kKept);
  CHECK(verdict.next == NextRun::kPacked);
  CHECK(verdict.packed_runs == 2);
  CHECK(verdict.runs_as_submitted == 1);
  CHECK(verdict.slowdown == doctest::Approx(-0.019).epsilon(0.05));
}

TEST_CASE("packing that makes runs so fast again and again, between runs as before, is believed") {
  std::vector<std::pair<char, double>> runs = {{'s', 1000}, {'p', 472}, {'s', 1003}};
  CHECK(verdict_of(runs).packed_runs == 0);
  CHECK(verdict_of(runs).next == NextRun::kPacked);
  runs.emplace_back('p', 470);
  CHECK(verdict_of(runs).next == NextRun::kAsSubmitted);
  runs.emplace_back('s', 998);
  CHECK(verdict_of(runs).state == PromiseState::kKept);
  CHECK(verdict_of(runs).packed_runs == 2);
  CHECK(verdict_of(runs).slowdown == doctest::Approx(-0.529).epsilon(0.001));
}

TEST_CASE("a site that wants no run as submitted for comparison gets none, and counts nothing") {
  PromiseRules rules = kRules;
  rules.check_every = 0;
  const PromiseVerdict verdict = judge_promise(runs_of({{'s', 1000}, {'p', 472}}), rules);
  CHECK(verdict.next == NextRun::kPacked);
  CHECK(verdict.packed_runs == 0);
}

TEST_CASE("a slower run withdraws the plan at once, whatever its work") {
  CHECK(verdict_of({{'s', 1000}, {'p', 2000}}).state == PromiseState::kBroken);
  CHECK(verdict_of({{'s', 1000}, {'p', 2000}, {'s', 1990}}).state == PromiseState::kBroken);
  CHECK(verdict_of({{'s', 1000}, {'p', 2000}, {'s', 1000}, {'s', 1000}}).state ==
        PromiseState::kBroken);
  // Two runs as submitted show that the work has changed.
  CHECK(verdict_of({{'s', 1000}, {'p', 2000}, {'s', 1990}, {'s', 1985}}).next == NextRun::kPacked);
  // They show that, and that the plan was slow.
  CHECK(verdict_of({{'s', 1000}, {'p', 1300}, {'s', 2000}, {'s', 2000}}).state ==
        PromiseState::kBroken);
}

TEST_CASE("a plan that was never slow is tried again once the work has changed") {
  const PromiseVerdict verdict = verdict_of({{'s', 1000}, {'p', 990}, {'s', 3000}});
  CHECK(verdict.state == PromiseState::kUntried);
  CHECK(verdict.next == NextRun::kPacked);
}

TEST_CASE("short runs differ by what is around them") {
  CHECK(verdict_of({{'s', 4}, {'p', 2}}).unexplained_runs == 0);
  CHECK(workloads_of(runs_of({{'s', 3}, {'s', 5}, {'s', 3}}), kRules).size() == 1);
}

/// A program whose work changes now and then, run by what is judged of its plan.
struct ChangingProgram {
  explicit ChangingProgram(std::uint64_t seed) : random(seed) {}

  void run(double slowdown, int runs) {
    for (int i = 0; i < runs; ++i) {
      const bool packed =
          !history.empty() && judge_promise(history, kRules).next == NextRun::kPacked;
      const double seconds = work * (packed ? 1 + slowdown : 1) * (1 + noise(random));
      history.push_back({packed, {seconds}});
      followed += packed ? 1 : 0;
    }
  }
  // To a half or less, or to twice as much or more.
  void change() {
    const double factor = std::uniform_real_distribution<double>(2, 4)(random);
    work *= random() % 2 == 0 ? factor : 1 / factor;
  }

  std::mt19937_64 random;
  std::uniform_real_distribution<double> noise{-0.03, 0.03};
  double work = 10'000;
  int followed = 0;
  std::vector<ComparedRun> history;
};

TEST_CASE("whenever the work changes, what is said of packing stays near the truth") {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    CAPTURE(seed);
    ChangingProgram program(seed);
    const double truth = std::uniform_real_distribution<double>(-0.05, 0.0)(program.random);
    for (int change = 0; change < 4; ++change) {
      const auto runs = static_cast<int>(4 + program.random() % 20);
      for (int i = 0; i < runs; ++i) {
        program.run(truth, 1);
        const PromiseVerdict verdict = judge_promise(program.history, kRules);
        // More time may be said to have been taken: then the plan is not followed.
        if (verdict.packed_runs > 0) CHECK(verdict.slowdown > truth - 0.1);
      }
      const int before = program.followed;
      program.run(truth, 8);
      CHECK(program.followed >= before + 3);  // the plan is followed again
      const PromiseVerdict verdict = judge_promise(program.history, kRules);
      CHECK(std::abs(verdict.slowdown - truth) < 0.1);
      program.change();
    }
  }
}

TEST_CASE("a plan that is far too slow is followed at most twice, and once more for each change") {
  int more = 0;
  constexpr int kPrograms = 2000;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    ChangingProgram program(seed);
    constexpr int kChanges = 4;
    for (int change = 0; change <= kChanges; ++change) {
      program.run(0.2, 12);
      program.change();
    }
    more += program.followed > 2 + kChanges ? 1 : 0;
  }
  CHECK(more <= kPrograms / 100);
}

}  // namespace
}  // namespace huddle::planning
