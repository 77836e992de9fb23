#include "aggregator/planning/detail/life/logged_times.hpp"

#include <cmath>

namespace huddle {

void LoggedTimes::add(Seconds elapsed) {
  logs_.push_back(std::log(elapsed.value));
  if (logs_.size() > kMost) logs_.erase(logs_.begin());
}

double LoggedTimes::mean() const {
  double sum = 0;
  for (const double log : logs_) sum += log;
  return sum / static_cast<double>(logs_.size());
}

Seconds LoggedTimes::time() const {
  return logs_.empty() ? Seconds{} : Seconds{std::exp(mean())};
}

double LoggedTimes::squares() const {
  double sum = 0;
  for (const double log : logs_) sum += (log - mean()) * (log - mean());
  return sum;
}

double LoggedTimes::usual_difference() const {
  constexpr double kHardlyEver = 4;  // standard deviations
  const auto runs = static_cast<double>(count());
  const double variance =
      (kUsualRuns * kUsualSpread * kUsualSpread + squares()) / (kUsualRuns + runs - 1);
  return kHardlyEver * std::sqrt(variance * (1 + 1 / runs));
}

}  // namespace huddle
