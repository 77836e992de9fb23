#pragma once

// Internal to the model document: brings nlohmann/json.

#include <nlohmann/json.hpp>

#include "profiles/formats/model/model.hpp"

namespace huddle {

nlohmann::ordered_json encoded(const Model& model);

}  // namespace huddle
