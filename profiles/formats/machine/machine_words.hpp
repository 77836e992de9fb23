#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace huddle {

/// How far two ranks are apart: the innermost thing that they share.
enum class Distance : std::uint8_t { kDie, kPackage, kNode, kNetwork };
inline constexpr std::size_t kDistances = 4;

/// The word that files use: "die", "package", "node" or "network".
std::string_view name_of(Distance distance);

/// Where a figure comes from.
enum class Origin : std::uint8_t { kMeasured, kGiven, kAssumed };

/// The word that files use: "measured", "given" or "assumed".
std::string_view name_of(Origin origin);

/// By Distance, and by Origin.
inline constexpr std::array<std::string_view, kDistances> kDistanceNames = {"die", "package",
                                                                            "node", "network"};
inline constexpr std::array<std::string_view, 3> kOriginNames = {"measured", "given", "assumed"};

}  // namespace huddle
