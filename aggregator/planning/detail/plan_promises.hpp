#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/planning/detail/promise.hpp"
#include "profiles/formats/plan/decision.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/store/store.hpp"

namespace huddle {

/// What to do instead of following a plan.
struct RunAsSubmitted {
  Decision decision;
  /// The plan whose runs were slower than the bound allows, of the job's programs the first such;
  /// nothing if a run as submitted is only due to be compared with.
  std::optional<Plan> broken;
};

/// What to do instead of following `plan`, in `file`, since the runs of its programs, or those of
/// its companions, were slower than the request's bound allows, or a run as submitted is due to be
/// compared with; nothing if it may be followed. Looks at the times that are stored beside it
/// (profiles/store/timed_runs.hpp) and at the programs' builds: runs of another build say nothing
/// about this one.
std::optional<RunAsSubmitted> why_run_as_submitted(const Plan& plan,
                                                   const std::filesystem::path& file,
                                                   const PlanRequest& request);

/// The profiles of the newest of those runs, of `broken` in the key's folder, that left one: at
/// most two, which is enough for another plan to take them into account.
std::vector<std::filesystem::path> profiles_of_broken(const Store& store, const Plan& broken,
                                                      const PlanRequest& request);

/// What the runs of the plan's program show, by the times that are stored in `folder`; untried if
/// the plan names no program. Without a packed run there is nothing to judge: then those as
/// submitted are read only if `all_runs`.
PromiseVerdict verdict_on(const Plan& plan, const std::filesystem::path& folder,
                          const PlanRequest& request, bool all_runs = false);

/// Whether no run has followed a plan that packs, so that one is to be waited for before others do.
bool is_untried(const Plan& plan, const std::filesystem::path& file, const PlanRequest& request);

/// Whether the plan's program is another build than the one that was measured, and no run of it has
/// followed the plan yet: what was predicted may not hold for it. False where no build is known.
bool is_unconfirmed(const Plan& plan, const std::filesystem::path& file,
                    const PlanRequest& request);

/// What the runs that followed the plan came to, as a phrase for its message: "3 packed runs took
/// +0.2 % time (-1.0 to +1.4)", or that it is unconfirmed; empty if there is nothing to say.
std::string packed_runs_of(const Plan& plan, const std::filesystem::path& file,
                           const PlanRequest& request);

}  // namespace huddle
