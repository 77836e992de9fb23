#include "aggregator/predict/hybrid/published_terms.hpp"

#include <algorithm>

namespace huddle::predict {

std::vector<hybrid::TeamConfiguration> published_samples(const hybrid::TeamNode& node,
                                                         Hertz second_clock, bool packed) {
  const std::uint32_t of_package = node.cores_per_package();
  const std::uint32_t all = std::max(node.packages * of_package, 1U);
  const auto with = [&](std::uint32_t cores, std::uint32_t packages, Hertz clock) {
    return hybrid::TeamConfiguration{packed ? all : cores, cores, packages, clock};
  };
  const std::uint32_t half = std::max(all / 2, 1U);
  const std::uint32_t needed = std::max((half + of_package - 1) / std::max(of_package, 1U), 1U);
  if (needed < node.packages && half >= node.packages)
    return {with(all, node.packages, node.nominal), with(half, node.packages, second_clock),
            with(half, needed, second_clock)};
  return {with(all, node.packages, node.nominal), with(half, needed, second_clock),
          with(std::max(all / 4, 1U), 1, second_clock)};
}

std::vector<double> published_terms(std::span<const TeamSample> samples, Seconds unit) {
  std::vector<double> terms;
  for (const TeamSample& sample : samples) {
    const double time = sample.mean / unit;
    terms.push_back(time);
    for (const double rate : sample.event_rates) terms.push_back(time * rate);
  }
  for (std::size_t j = 0; j < samples.size(); ++j)
    for (std::size_t k = j + 1; k < samples.size(); ++k) {
      for (std::size_t i = 0; i < samples[j].event_rates.size(); ++i)
        terms.push_back(samples[j].event_rates[i] * samples[k].event_rates[i]);
      terms.push_back((samples[j].mean / unit) * (samples[k].mean / unit));
    }
  return terms;
}

}  // namespace huddle::predict
