#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/predict/pattern/location.hpp"
#include "aggregator/predict/pattern/pattern.hpp"

namespace huddle {

/// How many ranks share a rank's die, its package and its node, itself included.
struct Sharing {
  std::uint32_t die = 1;
  std::uint32_t package = 1;
  std::uint32_t node = 1;

  friend auto operator<=>(const Sharing&, const Sharing&) = default;
};

/// That of a rank on a node that the pattern fills.
Sharing sharing_of(const Pattern& pattern);

/// The pattern that gives each rank of a node this; nothing if dies or packages must differ for it.
std::optional<Pattern> pattern_with(const Sharing& sharing);

/// By rank; nothing if a rank is on several packages or dies, or may be.
std::optional<std::vector<Sharing>> sharings_of(const std::vector<Location>& locations);

/// Ranks that share alike.
struct RankClass {
  Sharing sharing;
  /// Ascending; entries of the locations that classes_of() was given.
  std::vector<std::uint32_t> ranks;
};

/// The classes of a placement, ascending by sharing. All ranks of a full pattern are one class;
/// where the last node holds fewer, or nodes differ, there are several. Nothing as in
/// sharings_of().
std::optional<std::vector<RankClass>> classes_of(const std::vector<Location>& locations);

}  // namespace huddle
