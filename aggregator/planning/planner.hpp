#pragma once

// Decides what to do with a job that is being submitted: measure it, run it by a plan, or leave it
// alone.

#include <filesystem>
#include <optional>
#include <vector>

#include "aggregator/planning/promise.hpp"
#include "profiles/formats/plan/decision.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::planning {

/// The key by which the job's runs and plans are stored.
inline store::StoreKey key_of(const PlanRequest& request) {
  return {request.user, request.label, request.ranks};
}

/// The decision, and the plan it rests on, if there is one.
struct JobAnswer {
  Decision decision;
  std::optional<Plan> plan;
};

/// There are profiles to plan from, and no machine document.
class NoMachineDocument : public Error {
 public:
  using Error::Error;
};

/// Only one job at a time may do what an answer has in its decision as `claim`: where another one
/// does it, and is not over, the answer is that this one is left (detail/store/job_state.hpp).
///
/// Decides for a job: a stored plan made from the very same profiles, machine, model and request is
/// taken; else one is made from the newest complete profiles, or those that the request names, and
/// stored; without such a profile the job is to be measured. Where nothing covers a
/// pattern of fewer nodes, and with a model and only one stored profile, whose ranks were on one
/// pattern, the job is measured once more, laid out by a plan that fills its nodes in different
/// ways (sampling.hpp); that is tried once, whatever becomes of the run. No plan chooses a pattern
/// that nothing covers, unless the request lets that be tried; a model with unacceptable errors is
/// as none, and the reason says so. A job that keeps its nodes gets a plan of which ranks share one
/// (kept_nodes.hpp). Where threads may be packed, the answer also says on how many cores teams run,
/// once a run has tried that (detail/answers/job_teams.hpp). Throws Error if there is a plan or
/// profile that can't be used and no way around it.
JobAnswer decide_job(const store::Store& store, const PlanRequest& request);

/// The part of it that takes no time: the answer where nothing is to be made or chosen, else
/// nothing.
std::optional<JobAnswer> known_answer(const store::Store& store, const PlanRequest& request);

/// Where the answer to that request is stored, the one in force: the plan, or beside that name a
/// note in its place. Empty if none is. Throws Error if the machine document or the model can't be
/// read, SystemError.
std::filesystem::path answer_file(const store::Store& store, const PlanRequest& request);

/// The profiles that a plan is to be made from: those that the request names, or the stored ones,
/// newest first. Throws SystemError.
std::vector<std::filesystem::path> profiles_for(const store::Store& store,
                                                const PlanRequest& request);

/// The verdict of the runs that a submission with this request judges the stored plan by: those of
/// the request's script, the plan's program and its build. No runs if the plan names no program.
PromiseVerdict compared_runs(const Plan& plan, const std::filesystem::path& file,
                             const PlanRequest& request);

}  // namespace huddle::planning
