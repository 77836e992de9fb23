#pragma once

// Internal to the model document: brings nlohmann/json.

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/model/model.hpp"

namespace huddle {

/// Throws FormatError. `root` must outlive the call only.
Model read_model(const Field& root);

}  // namespace huddle
