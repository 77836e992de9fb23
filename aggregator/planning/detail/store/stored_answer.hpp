#pragma once

// The stored files of one answer, as submissions may rely on them: what is damaged, or is no file
// of ours, counts as missing, so that it is made anew in its place.

#include <filesystem>
#include <optional>
#include <vector>

#include "aggregator/planning/planner.hpp"
#include "profiles/formats/plan/decision.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/store/store.hpp"

namespace huddle::planning {

/// The plan in `file`; nothing if there is none that can be read with all of its companions and is
/// for ranks such as the request's. Links are not followed.
std::optional<Plan> stored_plan(const std::filesystem::path& file, const PlanRequest& request);

/// Stores a plan under that name, whatever has taken it. Throws SystemError.
void store_plan(const Plan& plan, const std::filesystem::path& file);

/// Stores what is answered instead of the plan in `plan`, so that the next submission gets the same
/// at once. Throws SystemError.
void store_note(const Decision& decision, const std::filesystem::path& plan);

/// The answer that is given instead of the plan in `file`; nothing if there is no such note that
/// can be read.
std::optional<Decision> stored_note(const std::filesystem::path& file);

/// Where the plan that answers a request is stored, in the key's folder. Two requests have one
/// name if and only if they have one answer: the same profiles, machine, model, limits, and version
/// of the makers. `profiles`: all that there are. Throws SystemError or Error if the machine
/// document, the model or a profile of the request can't be read.
std::filesystem::path plan_path(const store::Store& store, const PlanRequest& request,
                                const std::vector<std::filesystem::path>& profiles);

/// Beside the plan that there is or would be: that it is not to be followed, and why.
std::filesystem::path no_plan_path(const std::filesystem::path& plan);

/// Where the plan is stored that takes further profiles into account, which `plan` was not made
/// from. It is reached by way of `plan` only.
std::filesystem::path revised_path(const std::filesystem::path& plan,
                                   const std::vector<std::filesystem::path>& profiles);

/// Where the plan of the job's program number `place`, from 1 on, is stored beside `plan`, which is
/// that of number 0.
std::filesystem::path companion_path(const std::filesystem::path& plan, std::size_t place);

/// Where the layout of the second measured run is stored. Named after the run that it is to be
/// compared with, `profile`, and nothing else: it is tried once, whatever is asked later, and
/// whether it left a profile, half of one, or none.
std::filesystem::path sample_path(const store::Store& store, const PlanRequest& request,
                                  const std::filesystem::path& profile);

/// Where such a layout waits for the next submission if it was done too late for the one that it
/// was made for, so that nobody ran it. `plan`: plan_path() of both.
std::filesystem::path late_sample_path(const std::filesystem::path& plan);

}  // namespace huddle::planning
