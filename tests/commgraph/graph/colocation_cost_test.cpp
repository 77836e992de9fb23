#include "commgraph/graph/colocation_cost.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "profiles/vocabulary/error.hpp"

namespace huddle::commgraph {
namespace {

constexpr std::uint64_t kMostTotal = std::numeric_limits<std::int64_t>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Costs = std::vector<double>;
using Weights = std::vector<std::uint64_t>;

std::uint64_t sum(const Weights& weights) {
  return std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
}

TEST_CASE("costs are those of equation (4), worked out by hand") {
  // The first two lose 2 s and 0.5 s on one node: 1/2 and 2 per second, of which 2 is the most.
  // With k = 2, C = 4 x 2 = 8. The third gains 3 s: 8 + 3. The last does not care: 8 + 0.
  const std::vector<PairTime> pairs = {
      {{3.0}, {1.0}}, {{1.5}, {1.0}}, {{1.0}, {4.0}}, {{2.0}, {2.0}}};
  CHECK(colocation_costs(pairs, 2) == Costs{0.5, 2, 11, 8});
  // k = 3: C = 18.
  CHECK(colocation_costs(pairs, 3) == Costs{0.5, 2, 21, 18});
}

TEST_CASE("where no pair loses by colocation, the cost is the time saved") {
  CHECK(colocation_costs(std::vector<PairTime>{{{1.0}, {4.0}}, {{2.0}, {2.0}}}, 8) == Costs{3, 0});
  CHECK(colocation_costs({}, 8).empty());
}

TEST_CASE("every pair that gains costs more than all pairs between two nodes that lose") {
  const std::vector<PairTime> pairs = {{{1.25}, {1.0}}, {{1.0}, {1.001}}};
  const std::uint32_t k = 8;
  const Costs costs = colocation_costs(pairs, k);
  CHECK(costs[1] > k * k * costs[0]);
}

TEST_CASE("a difference that is only rounding is none") {
  const Costs costs = colocation_costs(std::vector<PairTime>{{{0.1 + 0.2}, {0.3}}}, 4);
  CHECK(costs == Costs{0});
}

TEST_CASE("times that are negative, not finite or too small to differ are errors") {
  CHECK_THROWS_AS(colocation_costs(std::vector<PairTime>{{{-1.0}, {1.0}}}, 2), Error);
  CHECK_THROWS_AS(colocation_costs(std::vector<PairTime>{{{1.0}, {kInfinity}}}, 2), Error);
  CHECK_THROWS_AS(colocation_costs(std::vector<PairTime>{{{std::nan("")}, {1.0}}}, 2), Error);
  CHECK_THROWS_AS(colocation_costs(std::vector<PairTime>{{{1e-310}, {0.0}}}, 2), Error);
}

TEST_CASE("weights keep the ratios of costs to a millionth over twelve orders of magnitude") {
  const Costs costs = {1, 1.0 / 3, 2.5e-3, 1e9, 7.77e5, 1e9};
  const Weights weights = scaled_to_weights(costs, kMostTotal);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    CAPTURE(i);
    const double ratio = static_cast<double>(weights[i]) / static_cast<double>(weights[3]);
    CHECK(ratio / (costs[i] / costs[3]) == doctest::Approx(1).epsilon(1e-6));
  }
  CHECK(sum(weights) <= kMostTotal);
  CHECK(sum(weights) > kMostTotal / 1000 * 999);
}

TEST_CASE("a cost below one unit of the scale still weighs 1, and no cost weighs nothing") {
  CHECK(scaled_to_weights(Costs{1e-30, 1, 0}, kMostTotal)[0] == 1);
  CHECK(scaled_to_weights(Costs{1e-30, 1, 0}, kMostTotal)[2] == 0);
  CHECK(scaled_to_weights(Costs{0, 0}, kMostTotal) == Weights{0, 0});
  CHECK(scaled_to_weights({}, kMostTotal).empty());
}

TEST_CASE("weights stay within the total that was asked for, however many are rounded up") {
  Costs costs(1000, 1e-9);
  costs.push_back(1e9);
  CHECK(sum(scaled_to_weights(costs, 4004)) <= 4004);
  CHECK(sum(scaled_to_weights(Costs(1000, 1.0 / 3), kMostTotal)) <= kMostTotal);
  CHECK(sum(scaled_to_weights(Costs{1e308, 1e308}, kMostTotal)) <= kMostTotal);
  CHECK_THROWS_AS(scaled_to_weights(costs, 4003), Error);
  CHECK_THROWS_AS(scaled_to_weights(Costs{kInfinity}, kMostTotal), Error);
  CHECK_THROWS_AS(scaled_to_weights(Costs{-1}, kMostTotal), Error);
}

}  // namespace
}  // namespace huddle::commgraph
