#pragma once

#include <compare>
#include <cstdint>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// How the OpenMP team of one rank runs one of its parallel regions.
struct TeamConfiguration {
  /// How many threads the team has; at least 1. A packed team keeps the size that the program gave
  /// it.
  std::uint32_t threads = 1;
  /// How many cores these run on: a divisor of `threads` where the team is packed, so that each
  /// core has as many.
  std::uint32_t cores = 1;
  /// Over how many packages those cores are spread, as evenly as they can be; at least 1.
  std::uint32_t packages = 1;
  /// Of these cores; 0: as the site left it.
  Hertz clock;

  friend auto operator<=>(const TeamConfiguration&, const TeamConfiguration&) = default;
};

}  // namespace huddle
