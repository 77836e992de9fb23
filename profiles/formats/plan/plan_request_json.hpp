#pragma once

#include <nlohmann/json.hpp>

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/plan/plan_request.hpp"

namespace huddle {

/// The members of a request, which may be a part of another document. Throws FormatError.
void read_value(const Field& field, PlanRequest& request);
nlohmann::ordered_json json_value(const PlanRequest& request);

}  // namespace huddle
