#pragma once

#include <optional>

#include "profiles/formats/plan/decision.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/vocabulary/frequency.hpp"

namespace huddle {

/// Whether the range leaves every frequency to the plan.
bool any_frequency(const FrequencyRange& range);

/// What the cores of a job with this plan are limited to, as far as its request lets them be set:
/// the planned frequencies exactly. Nothing for the nominal one, which runs have anyway, unless it
/// was asked for.
std::optional<KilohertzRange> limits_for(const Plan& plan, const PlanRequest& request);

}  // namespace huddle
