#pragma once

// Jobs of which no run has shown enough for a plan: the next run is measured, but not for ever.

#include <filesystem>
#include <string>

#include "aggregator/planning/detail/store/job_state.hpp"
#include "profiles/formats/plan/decision.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/store/store.hpp"

namespace huddle::planning {

/// Tells if a second run may be measured: consecutive ranks need nodes that are alike. Where a
/// trial is allowed, a run that only shows how ranks slow each other down is not needed, but a
/// model learns from it.
bool may_ask_for_second(const PlanRequest& request);

/// The claim of the job that is measured for this request. One that is over stays as long as nobody
/// submits the script again: whoever finds that its run has shown enough removes it.
std::filesystem::path measuring_claim(const store::Store& store, const PlanRequest& request);

/// Decides for a job that no stored profile serves. It is measured, one job of its kind at
/// a time. After two measured jobs that asked for the same, have ended and taught nothing it is
/// left, whatever the reason; its program's next build is another one. So is the first submission
/// of a script after two of other scripts that nobody submitted again, as scripts may change each
/// time: it is measured when it comes again, which a file in the key's folder notes, unless the
/// request is a dry run. `passed_over`: why the newest profile does not serve; empty: there is
/// none. Throws SystemError.
Decision measure_or_leave(const store::Store& store, const PlanRequest& request,
                          const std::string& passed_over,
                          const JobStates& state_of = ask_for_job_state);

}  // namespace huddle::planning
