#pragma once

// On how many cores the teams of a job's OpenMP regions run: chosen by a run that tried it, once.

#include <filesystem>
#include <optional>

#include "aggregator/planning/detail/life/current_plan.hpp"
#include "aggregator/planning/planner.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/store/store.hpp"

namespace huddle::planning {

/// Says in the answer what is known of the job's teams without reading any profile, if the request
/// lets threads be packed: what was chosen, that nothing may be, or that no run tried it. False if
/// there are runs that may have tried it and nothing was chosen by them yet: then
/// fill_chosen_teams() does. Nothing changes without the request, for runs that are measured or to
/// be compared with, and where `current` has a plan that was withdrawn. False as well if teams may
/// have other sizes now than when they were chosen, as their programs' user allows it. Throws
/// SystemError.
bool fill_known_teams(const store::Store& store, const CurrentPlan& current,
                      const PlanRequest& request, JobAnswer& answer);

/// The rest of it: chooses by the newest run of the same program on as many nodes, with the same
/// number of ranks and cores for each, that tried teams on fewer cores and was mostly as started.
/// Nothing is chosen whose time was not measured. Where their user allows it, and a run that tried
/// it ended well, teams may be smaller (profiles/store/team_sizes.hpp). Unless the request is a dry
/// run, what comes of it is written into the plan in `file`, or what is there in its place, so that
/// it is looked at once. Throws SystemError.
void fill_chosen_teams(const store::Store& store, const std::filesystem::path& file,
                       const PlanRequest& request, JobAnswer& answer);

}  // namespace huddle::planning
