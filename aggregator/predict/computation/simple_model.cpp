#include "aggregator/predict/computation/simple_model.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace huddle {
namespace {

double ratio(std::uint32_t a, std::uint32_t b) {
  return static_cast<double>(std::max(a, b)) / std::min(a, b);
}

// How unlike two ways to share are: the product of the ratios on all levels, as exact as they are.
// Ties between a sparser and a denser one fall to the denser, which is nearer to harm.
std::tuple<double, std::int64_t, std::int64_t> unlikeness(const Sharing& sample,
                                                          const Sharing& wanted) {
  return {ratio(sample.die, wanted.die) * ratio(sample.package, wanted.package) *
              ratio(sample.node, wanted.node),
          -static_cast<std::int64_t>(sample.node), -static_cast<std::int64_t>(sample.die)};
}

}  // namespace

Seconds nearest_sample_time(const std::vector<ComputationSample>& samples, const Sharing& sharing) {
  const auto nearest =
      std::min_element(samples.begin(), samples.end(), [&](const auto& a, const auto& b) {
        return unlikeness(a.sharing, sharing) < unlikeness(b.sharing, sharing);
      });
  Seconds sum;
  double count = 0;
  for (const ComputationSample& sample : samples) {
    if (sample.sharing != nearest->sharing) continue;
    sum += sample.time;
    ++count;
  }
  return sum * (1 / count);
}

}  // namespace huddle
