#pragma once

// Internal to the readers of machines: brings nlohmann/json.

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/machine/machine.hpp"

namespace huddle {

/// Each throws FormatError if the field is something else.
Distance read_distance(const Field& field);
Origin read_origin(const Field& field);
/// A number above 0.
double read_positive(const Field& field);
/// A pattern (see pattern_text.hpp); as it stands there.
std::string read_pattern(const Field& field);

}  // namespace huddle
