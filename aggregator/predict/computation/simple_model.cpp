#include "aggregator/predict/computation/simple_model.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace huddle::predict {
namespace {

// Ties between a sparser and a denser one fall to the denser, which is nearer to harm.
std::tuple<double, std::int64_t, std::int64_t> unlikeness(const Sharing& sample,
                                                          const Sharing& wanted) {
  return {times_apart(sample, wanted), -static_cast<std::int64_t>(sample.node),
          -static_cast<std::int64_t>(sample.die)};
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

}  // namespace huddle::predict
