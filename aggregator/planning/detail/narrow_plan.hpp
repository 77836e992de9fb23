#pragma once

// Plans by which a job's ranks run on fewer cores than they ask for, with their teams, so that they
// fit on fewer nodes.

#include <filesystem>

#include "aggregator/planning/detail/standing_plan.hpp"
#include "aggregator/planning/planner.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/store/store.hpp"

namespace huddle {

/// Puts such a plan in place of the answer, if the request lets ranks be packed and one is stored
/// beside the plan in force: that it is followed, or that this run is compared with it. Where its
/// runs failed, or were slower than the bound, the answer stays and its reason says so. False if
/// there is none yet and a run may show that one is to be made, or if a run has followed it and
/// nobody has looked at its teams: then make_narrow_plan() does.
/// Nothing changes for runs that are measured or compared, that keep their nodes, for more than one
/// program, for least time, where clocks follow loads, and after the plan in force was withdrawn.
/// Throws Error if a plan can't be used, SystemError.
bool know_narrow_plan(const Store& store, const StandingPlan& standing, const PlanRequest& request,
                      JobAnswer& answer);

/// The rest of it: makes one by the newest run that tried teams on fewer cores, if there is
/// anything to gain; else notes beside the plan that there is not. Of one that is there and was
/// followed by a run, looks once whether teams kept their size, and notes it: if not, the answer
/// stays and its reason says so. A dry run writes nothing. Throws SystemError.
void make_narrow_plan(const Store& store, const std::filesystem::path& file,
                      const PlanRequest& request, JobAnswer& answer);

}  // namespace huddle
