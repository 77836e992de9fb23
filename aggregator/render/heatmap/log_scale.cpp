#include "aggregator/render/heatmap/log_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace huddle {
namespace {

constexpr std::size_t kMostTicks = 8;

// The powers of `factor` from least to most.
std::vector<std::uint64_t> powers(std::uint64_t factor, std::uint64_t least, std::uint64_t most) {
  std::vector<std::uint64_t> found;
  for (std::uint64_t power = 1; power <= most; power *= factor) {
    if (power >= least) found.push_back(power);
    if (power > std::numeric_limits<std::uint64_t>::max() / factor) break;
  }
  return found;
}

}  // namespace

double LogScale::position(std::uint64_t value) const {
  if (least_ >= most_) return 1;
  const double from = std::log(static_cast<double>(least_));
  const double to = std::log(static_cast<double>(most_));
  return std::clamp((std::log(static_cast<double>(value)) - from) / (to - from), 0.0, 1.0);
}

unsigned LogScale::level(std::uint64_t value, unsigned levels) const {
  if (value == 0) return 0;
  const double step = position(value) * levels;
  return 1 + std::min(static_cast<unsigned>(step), levels - 1);
}

std::vector<std::uint64_t> LogScale::ticks(unsigned base) const {
  if (most_ == 0) return {};
  std::vector<std::uint64_t> ticks;
  for (const unsigned exponent : {1U, 2U, 3U, 5U, 6U, 10U}) {
    const auto factor = static_cast<std::uint64_t>(std::pow(base, exponent));
    ticks = powers(factor, least_, most_);
    if (ticks.size() <= kMostTicks) break;
  }
  if (ticks.size() < 2) ticks = {least_, most_};
  if (ticks.front() == ticks.back()) ticks.resize(1);
  return ticks;
}

}  // namespace huddle
