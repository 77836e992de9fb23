#pragma once

// The origin of a figure in a machine document.

#include <array>
#include <cstdint>
#include <string_view>

namespace huddle {

/// Where a figure comes from.
enum class Origin : std::uint8_t { kMeasured, kGiven, kAssumed };

/// The word that files use: "measured", "given" or "assumed".
std::string_view name_of(Origin origin);

/// Names of the origins, indexed by Origin.
inline constexpr std::array<std::string_view, 3> kOriginNames = {"measured", "given", "assumed"};

}  // namespace huddle
