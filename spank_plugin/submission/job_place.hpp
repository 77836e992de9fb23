#pragma once

#include "profiles/formats/plan/decision.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "spank_plugin/submission/slurm_client.hpp"

namespace huddle {

/// Takes the place that the decision needs (Decision::claim) for the job that is being submitted:
/// until it is over, no other job does the same. The job learns of it by kClaimWord. Nothing
/// happens where none is needed, or in a dry run. Throws Error, whose text is the reason for the
/// user, if another job has the place, and if it can't be taken.
void take_place(SlurmClient& slurm, const Decision& decision, const PlanRequest& request);

}  // namespace huddle
