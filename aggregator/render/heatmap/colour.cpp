#include "aggregator/render/heatmap/colour.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace huddle {
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

// The steps of a channel in the terminal's cube of 6 x 6 x 6 colours.
constexpr std::array<int, 6> kCubeSteps = {0, 95, 135, 175, 215, 255};

int nearest_step(int channel) {
  const auto nearer = [&](int a, int b) { return std::abs(a - channel) < std::abs(b - channel); };
  return static_cast<int>(std::min_element(kCubeSteps.begin(), kCubeSteps.end(), nearer) -
                          kCubeSteps.begin());
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

std::uint8_t terminal_colour(Colour colour) {
  return static_cast<std::uint8_t>(16 + 36 * nearest_step(colour.red) +
                                   6 * nearest_step(colour.green) + nearest_step(colour.blue));
}

}  // namespace huddle
