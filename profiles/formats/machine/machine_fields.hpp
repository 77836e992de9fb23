#pragma once

// Internal to the readers of machines and models: brings nlohmann/json.

#include "profiles/formats/document/members.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/vocabulary/pattern_text.hpp"

namespace huddle {

template <class Value>
auto named_distance(Value& distance) {
  return named(distance, kDistanceNames, "\"die\", \"package\", \"node\" or \"network\"");
}
template <class Value>
auto named_origin(Value& origin) {
  return named(origin, kOriginNames, "\"measured\", \"given\" or \"assumed\"");
}

/// The rule for a pattern (see pattern_text.hpp), which stays as it stands there.
inline constexpr auto kIsPattern = [](const Field& field, const std::string& text) {
  if (pattern_numbers(text).empty()) field.fail("a pattern such as \"2:1:2\"");
};

}  // namespace huddle
