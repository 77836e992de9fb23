#pragma once

// The one form in which a pattern's prediction is written: in plans, and by `huddle recommend
// --json`. This header brings nlohmann/json, so only .cpp files include it.

#include <cstdint>
#include <nlohmann/json.hpp>

#include "profiles/formats/plan/plan.hpp"

namespace huddle {

/// The form of members whose value is not known. The energy is always there.
enum class Unknown : std::uint8_t {
  kNull,     ///< they are null
  kLeftOut,  ///< they are not there
};

nlohmann::ordered_json json_of(const PatternForecast& forecast, Unknown unknown);

}  // namespace huddle
