#pragma once

// What huddle waitstates prints of a RunStudy.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "aggregator/waitstates/report/waitstates_output.hpp"

namespace huddle {

/// Critical path, slack and what-ifs, as far as the answer's study has them, each below an empty
/// line.
std::string study_text(const WaitAnswer& answer);

/// Adds `critical_path`, `slack` and `what_if`. Precondition: there is a study.
void add_study(nlohmann::ordered_json& json, const WaitAnswer& answer);

}  // namespace huddle
