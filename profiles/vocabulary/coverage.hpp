#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace huddle {

/// The ground for saying how the ranks of a pattern slow each other down, the best first.
enum class Coverage : std::uint8_t {
  kMeasured,      ///< ranks of this program were measured sharing just like that
  kInterpolated,  ///< ranks of this program were measured sharing at least as much
  kModel,         ///< a model with acceptable errors
  kNone,          ///< nothing: contention is unknown
};

/// The word that documents use: "measured", "interpolated", "model" or "none".
std::string_view name_of(Coverage coverage);

/// The coverage of that name, or nothing.
std::optional<Coverage> coverage_of(std::string_view name);

inline constexpr std::string_view kCoverageNames = "measured, interpolated, model or none";

}  // namespace huddle
