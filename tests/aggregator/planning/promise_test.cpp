#include "aggregator/planning/promise.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <functional>
#include <random>
#include <string>

namespace huddle::planning {
namespace {

constexpr double kLong = 1000;  // seconds: what is around a run does not matter

/// "s" and "p": runs as submitted and packed that took 1000 s, times what follows.
std::vector<ComparedRun> history(const std::vector<std::pair<char, double>>& runs,
                                 double seconds = kLong) {
  std::vector<ComparedRun> compared;
  for (const auto& [kind, factor] : runs) compared.push_back({kind == 'p', {seconds * factor}});
  return compared;
}

std::string described(const PromiseVerdict& verdict) {
  constexpr std::array kStates = {"untried", "unconfirmed", "kept", "broken",
                                  "of another workload"};
  return fmt::format("{}, {}", kStates[static_cast<std::size_t>(verdict.state)],
                     verdict.next == NextRun::kPacked ? "packed" : "as submitted");
}

std::string judged(const std::vector<std::pair<char, double>>& runs) {
  return described(judge_promise(history(runs), {}));
}

TEST_CASE("each transition of a promise") {
  CHECK(judged({}) == "untried, packed");
  CHECK(judged({{'s', 1}}) == "untried, packed");
  CHECK(judged({{'p', 1}}) == "untried, packed");  // nothing to compare it with
  CHECK(judged({{'s', 1}, {'p', 1}}) == "kept, packed");
  CHECK(judged({{'s', 1}, {'p', 1.04}}) == "unconfirmed, as submitted");
  CHECK(judged({{'s', 1}, {'p', 1.049}, {'s', 1}}) == "unconfirmed, packed");
  CHECK(judged({{'s', 1}, {'p', 1.049}, {'s', 1}, {'p', 1.049}}) == "kept, packed");
  CHECK(judged({{'s', 1}, {'p', 1.06}}) == "broken, as submitted");
  CHECK(judged({{'s', 1}, {'p', 1.3}}) == "broken, as submitted");
  // The run it was compared with was a quick one.
  CHECK(judged({{'s', 0.96}, {'p', 1.035}, {'s', 1}}) == "broken, as submitted");
  CHECK(judged({{'s', 0.96}, {'p', 1.035}, {'s', 1}, {'s', 1}, {'s', 1}}) == "kept, packed");
  // It was not.
  CHECK(judged({{'s', 1}, {'p', 1.3}, {'s', 1}, {'s', 1}, {'s', 1}, {'s', 1}}) ==
        "broken, as submitted");
}

TEST_CASE("a plan that is close to its bound is checked now and then, and never twice in a row") {
  std::vector<std::pair<char, double>> runs = {{'s', 1}, {'s', 1}, {'s', 1}, {'s', 1}};
  for (int i = 0; i < 19; ++i) runs.emplace_back('p', 1.045);
  CHECK(judged(runs) == "kept, packed");
  runs.emplace_back('p', 1.045);
  CHECK(judged(runs) == "kept, as submitted");
  runs.emplace_back('s', 1);
  CHECK(judged(runs) == "kept, packed");
  for (auto& [kind, factor] : runs)
    if (kind == 'p') factor = 0.95;  // far from its bound
  for (int i = 0; i < 30; ++i) runs.emplace_back('p', 0.95);
  CHECK(judged(runs) == "kept, packed");
}

TEST_CASE("what is around a run does not break the promise of a short one") {
  CHECK(judge_promise(history({{'s', 1}, {'p', 1.5}}, 3), {}).state == PromiseState::kKept);
  CHECK(judge_promise(history({{'s', 1}, {'p', 2.7}}, 3.1), {}).state == PromiseState::kBroken);
}

TEST_CASE("a slowdown has an interval that further runs narrow") {
  const PromiseVerdict few = judge_promise(history({{'s', 1}, {'p', 1.02}}), {});
  CHECK(few.slowdown == doctest::Approx(0.02));
  CHECK(few.low < 0);
  CHECK(few.high > 0.08);
  std::vector<std::pair<char, double>> runs;
  for (int i = 0; i < 12; ++i) {
    runs.emplace_back('s', 1);
    runs.emplace_back('p', 1.02);
  }
  const PromiseVerdict many = judge_promise(history(runs), {});
  CHECK(many.low > 0);
  CHECK(many.high < 0.04);
}

/// The number of runs out of 80 for which a program that is truly slower by `slowdown` is packed,
/// and whether it is in the end, where runs vary by `noise`.
struct Life {
  int packed = 0;
  bool ends_packed = false;
};
Life live(double slowdown, const std::function<double()>& noise) {
  Life life;
  std::vector<ComparedRun> runs = {{false, {kLong * (1 + noise())}}};
  int late = 0;
  for (int i = 0; i < 80; ++i) {
    const bool packed = judge_promise(runs, {}).next == NextRun::kPacked;
    runs.push_back({packed, {kLong * (packed ? 1 + slowdown : 1) * (1 + noise())}});
    life.packed += packed ? 1 : 0;
    late += packed && i >= 70 ? 1 : 0;
  }
  life.ends_packed = late >= 5;
  return life;
}

TEST_CASE("whatever the history, a plan far beyond its bound is hardly followed, a good one is") {
  constexpr int kHistories = 10'000;
  std::mt19937_64 random(20261125);
  for (const double spread : {0.01, 0.03, 0.05}) {
    CAPTURE(spread);
    std::uniform_real_distribution<double> within(-spread, spread);
    const auto noise = [&] { return within(random); };
    int once = 0;
    int twice = 0;
    int good = 0;
    for (int i = 0; i < kHistories; ++i) {
      const int packed = live(0.15, noise).packed;
      once += packed <= 1 ? 1 : 0;
      twice += packed <= 2 ? 1 : 0;
      good += live(0.02, noise).ends_packed ? 1 : 0;
    }
    MESSAGE("runs within ", spread * 100, " %: bad once ", once, ", twice at most ", twice,
            ", good ", good, " of ", kHistories);
    if (spread < 0.02) CHECK(once == kHistories);
    CHECK(twice >= kHistories / 100 * 99);
    CHECK(good >= kHistories / 100 * 99);
  }
}

}  // namespace
}  // namespace huddle::planning
