#pragma once

// Internal to the model document: brings nlohmann/json.

#include "profiles/formats/document.hpp"
#include "profiles/formats/model.hpp"

namespace huddle {

/// Throws FormatError. `root` must outlive the call only.
Model read_model(const Field& root);

}  // namespace huddle
