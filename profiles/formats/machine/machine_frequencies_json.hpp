#pragma once

// Internal to the reader and writer of machines: brings nlohmann/json.

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/machine/machine_frequencies.hpp"

namespace huddle {

/// The object "frequencies" of a machine document. Throws FormatError.
Frequencies read_frequencies(const Field& field);

nlohmann::ordered_json encoded(const Frequencies& frequencies);

}  // namespace huddle
