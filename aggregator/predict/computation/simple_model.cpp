#include "aggregator/predict/computation/simple_model.hpp"

#include <algorithm>
#include <functional>

namespace huddle {
namespace {

Seconds mean_of(const std::vector<ComputationSample>& samples,
                const std::function<bool(const ComputationSample&)>& wanted) {
  Seconds sum;
  double count = 0;
  for (const ComputationSample& sample : samples) {
    if (!wanted(sample)) continue;
    sum += sample.time;
    ++count;
  }
  return sum * (1 / count);
}

// How unlike two densities are; ties between a sparser and a denser one fall to the denser, which
// is nearer to harm.
std::pair<double, std::int64_t> unlikeness(const ComputationSample& sample,
                                           std::uint32_t ranks_per_node) {
  const auto [fewer, more] = std::minmax(sample.ranks_per_node, ranks_per_node);
  return {static_cast<double>(more) / fewer, -static_cast<std::int64_t>(sample.ranks_per_node)};
}

}  // namespace

Seconds nearest_sample_time(const std::vector<ComputationSample>& samples,
                            const std::string& pattern, std::uint32_t ranks_per_node) {
  const auto on_it = [&](const ComputationSample& sample) { return sample.pattern == pattern; };
  if (std::any_of(samples.begin(), samples.end(), on_it)) return mean_of(samples, on_it);
  const auto nearest =
      std::min_element(samples.begin(), samples.end(), [&](const auto& a, const auto& b) {
        return unlikeness(a, ranks_per_node) < unlikeness(b, ranks_per_node);
      });
  return mean_of(samples, [&](const ComputationSample& sample) {
    return sample.ranks_per_node == nearest->ranks_per_node;
  });
}

}  // namespace huddle
