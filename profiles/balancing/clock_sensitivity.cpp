#include "profiles/balancing/clock_sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiles/balancing/workload.hpp"

namespace huddle::balancing {
namespace {

double sensitivity_at(std::size_t place, std::size_t places) {
  return static_cast<double>(place) / static_cast<double>(places - 1);
}

}  // namespace

ClockSensitivity::ClockSensitivity(Hertz top) : top_(top) {
  summarize();
}

void ClockSensitivity::observe(Seconds time, Hertz clock) {
  if (!(time.value > 0) || !(clock.value > 0)) return;
  const Seconds before = std::exchange(last_time_, time);
  const Hertz clock_before = std::exchange(last_clock_, clock);
  if (!(before.value > 0)) return;
  const double change = std::log(time / before);
  constexpr double kLeastNoise = 0.003;
  if (std::abs(clock / clock_before - 1) < 0.005) {
    // A change of the load alone. A large one says little of the next: it counts for no more than
    // three usual ones.
    noise_ =
        std::max(kLeastNoise, 0.8 * noise_ + 0.2 * std::min(std::abs(change) * 1.25, 3 * noise_));
    return;
  }
  // Student's t with four degrees of freedom: changes of the load that come with one of the clock
  // by chance must not decide.
  constexpr double kFreedom = 4;
  constexpr double kForget = 0.97;
  for (std::size_t place = 0; place < kGrid; ++place) {
    const double s = sensitivity_at(place, kGrid);
    const double expected = std::log(stretch(s, clock, top_) / stretch(s, clock_before, top_));
    const double off = (change - expected) / noise_;
    log_weight_[place] =
        kForget * log_weight_[place] - (kFreedom + 1) / 2 * std::log1p(off * off / kFreedom);
  }
  summarize();
}

void ClockSensitivity::summarize() {
  const double most = *std::max_element(log_weight_.begin(), log_weight_.end());
  std::array<double, kGrid> weight{};
  double sum = 0;
  double mean = 0;
  for (std::size_t place = 0; place < kGrid; ++place) {
    weight[place] = std::exp(log_weight_[place] - most);
    sum += weight[place];
    mean += weight[place] * sensitivity_at(place, kGrid);
  }
  mean_ = mean / sum;
  const auto quantile = [&](double share) {
    double below = 0;
    for (std::size_t place = 0; place < kGrid; ++place) {
      below += weight[place];
      if (below >= share * sum) return sensitivity_at(place, kGrid);
    }
    return 1.0;
  };
  lower_ = quantile(0.025);
  // The grid's own step is uncertain, too.
  upper_ = std::min(1.0, quantile(0.975) + 1.0 / static_cast<double>(kGrid - 1));
  lower_ = std::max(0.0, lower_ - 1.0 / static_cast<double>(kGrid - 1));
}

}  // namespace huddle::balancing
