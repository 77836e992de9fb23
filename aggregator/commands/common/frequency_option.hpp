#pragma once

#include <optional>
#include <string>

#include "aggregator/recommend/recommendation.hpp"

namespace huddle {

/// What --frequency says: "keep" (nothing), "auto" (all frequencies), one such as "1.8GHz", or two
/// such as "1.2GHz-2.4GHz", where the first one may leave its unit to the second one. Throws
/// UsageError.
std::optional<FrequencyRange> frequencies_from(const std::string& text);

}  // namespace huddle
