#pragma once

#include <filesystem>
#include <vector>

#include "aggregator/planning/planner.hpp"
#include "profiles/store/store.hpp"

namespace huddle {

/// Where the plan that answers a request is stored, in the key's folder. Two requests have one
/// name if and only if they have one answer: the same profiles, machine, model, limits, and version
/// of the makers. `profiles`: all that there are. Throws SystemError or Error if the machine
/// document, the model or a profile of the request can't be read.
std::filesystem::path plan_path(const Store& store, const PlanRequest& request,
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
std::filesystem::path sample_path(const Store& store, const PlanRequest& request,
                                  const std::filesystem::path& profile);

}  // namespace huddle
