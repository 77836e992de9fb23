#include "aggregator/render/heatmap/colour_scale.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace huddle::render {
namespace {

// Every tenth of viridis (Smith and van der Walt, 2015, CC0); between them straight lines are near
// enough.
constexpr std::array<Colour, 11> kTenths = {{{0x44, 0x01, 0x54},
                                             {0x48, 0x24, 0x75},
                                             {0x41, 0x44, 0x87},
                                             {0x35, 0x5f, 0x8d},
                                             {0x2a, 0x78, 0x8e},
                                             {0x21, 0x91, 0x8c},
                                             {0x22, 0xa8, 0x84},
                                             {0x44, 0xbf, 0x70},
                                             {0x7a, 0xd1, 0x51},
                                             {0xbd, 0xdf, 0x26},
                                             {0xfd, 0xe7, 0x25}}};

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

Colour viridis(double position) {
  const double place = std::clamp(position, 0.0, 1.0) * (kTenths.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), kTenths.size() - 2);
  const double way = place - static_cast<double>(below);
  const auto mix = [&](std::uint8_t from, std::uint8_t to) {
    return static_cast<std::uint8_t>(std::lround(from + way * (to - from)));
  };
  const Colour a = kTenths[below];
  const Colour b = kTenths[below + 1];
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

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

}  // namespace huddle::render
