#include "aggregator/predict/hybrid/published_terms.hpp"

namespace huddle {

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

}  // namespace huddle
