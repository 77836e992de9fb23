#include "aggregator/efficiency/detail/sampled_calls.hpp"

#include <algorithm>
#include <cmath>

namespace huddle::efficiency {

SampledCalls sampled_calls_of(const RankRecord& record) {
  constexpr double kStandsFor = 128;
  // Square of the relative error of an estimate from one drawn call: of its length, and of the
  // number of calls from one to the next, which is uniform.
  constexpr double kVariance = 1 + 1.0 / 3;
  SampledCalls sum;
  double variance = 0;
  for (const CallKind& kind : record.calls) {
    if (kind.timed >= kind.calls) continue;
    const auto calls = static_cast<double>(kind.calls);
    const double untimed = calls - static_cast<double>(kind.timed);
    const double drawn = std::max(untimed / (kStandsFor - 1), 1.0);
    const Seconds estimated = kind.time * std::min((untimed + drawn) / calls, 1.0);
    sum.estimated += estimated;
    variance += kVariance / drawn * estimated.value * estimated.value;
  }
  sum.error = {std::sqrt(variance)};
  return sum;
}

}  // namespace huddle::efficiency
