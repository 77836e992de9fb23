#pragma once

#include <nlohmann/json.hpp>

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/plan/plan_request.hpp"

namespace huddle {

/// The members of a request, which may be a part of another document. Throws FormatError.
PlanRequest read_plan_request(const Field& root);

/// Adds them to the document.
void write_plan_request(const PlanRequest& request, nlohmann::ordered_json& document);

}  // namespace huddle
