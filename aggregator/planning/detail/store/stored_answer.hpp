#pragma once

// The stored files of one answer, as submissions may rely on them: what is damaged, or is no file
// of ours, counts as missing, so that it is made anew in its place.

#include <filesystem>
#include <optional>

#include "profiles/formats/plan/decision.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/plan_request.hpp"

namespace huddle {

/// The plan in `file`; nothing if there is none that can be read with all of its companions and is
/// for ranks such as the request's. Links are not followed.
std::optional<Plan> stored_plan(const std::filesystem::path& file, const PlanRequest& request);

/// Stores a plan under that name, whatever has taken it. Throws SystemError.
void store_plan(const Plan& plan, const std::filesystem::path& file);

/// The answer that is given instead of the plan in `file`; nothing if there is no such note that
/// can be read.
std::optional<Decision> stored_note(const std::filesystem::path& file);

}  // namespace huddle
