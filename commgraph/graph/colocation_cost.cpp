#include "commgraph/graph/colocation_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profiles/vocabulary/error.hpp"

namespace huddle::commgraph {
namespace {

void check(const PairTime& pair) {
  for (const double time : {pair.intra.value, pair.inter.value})
    if (!(time >= 0) || !std::isfinite(time))
      throw Error(
          fmt::format("the predicted time of a pair's messages is {} s: expected 0 s or "
                      "more, and finite",
                      time));
}

// Returns the time that the pair loses by being on one node; negative if it gains.
double loss_of(const PairTime& pair) {
  const double loss = pair.intra.value - pair.inter.value;
  const double larger = std::max(pair.intra.value, pair.inter.value);
  return std::abs(loss) < larger * kEqualTimes ? 0 : loss;
}

double checked(double cost) {
  if (!(cost >= 0) || !std::isfinite(cost))
    throw Error(
        fmt::format("a cost of {} can't weigh an edge: expected 0 or more, and finite; the "
                    "predicted times are too small or too large",
                    cost));
  return cost;
}

}  // namespace

std::vector<double> colocation_costs(std::span<const PairTime> pairs,
                                     std::uint32_t ranks_per_node) {
  double steepest = 0;
  for (const PairTime& pair : pairs) {
    check(pair);
    const double loss = loss_of(pair);
    if (loss > 0) steepest = std::max(steepest, 1 / loss);
  }
  const double k = ranks_per_node;
  const double gaining = k * k * steepest;
  std::vector<double> costs;
  costs.reserve(pairs.size());
  for (const PairTime& pair : pairs) {
    const double loss = loss_of(pair);
    costs.push_back(checked(loss > 0 ? 1 / loss : gaining - loss));
  }
  return costs;
}

std::vector<std::uint64_t> scaled_to_weights(std::span<const double> costs,
                                             std::uint64_t most_total) {
  if (most_total / 4 < costs.size())
    throw Error(fmt::format("{} costs can't become weights that sum to at most {}", costs.size(),
                            most_total));
  // Beyond the 53 bits of a double: weights have 63.
  long double sum = 0;
  for (const double cost : costs) sum += checked(cost);
  // Every weight may be rounded up to 1, and the sum has its own rounding.
  const auto budget = static_cast<long double>(most_total - 2 * costs.size());
  std::vector<std::uint64_t> weights;
  weights.reserve(costs.size());
  for (const double cost : costs) {
    // The division first: the product of two large numbers would not fit.
    const long double weight = cost == 0 ? 0 : std::max(1.0L, std::round(cost / sum * budget));
    weights.push_back(static_cast<std::uint64_t>(weight));
  }
  return weights;
}

}  // namespace huddle::commgraph
