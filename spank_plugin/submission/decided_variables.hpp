#pragma once

#include <array>
#include <optional>
#include <string>

#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "spank_plugin/submission/slurm_client.hpp"

// Words and variables that a submission hands on to its job.

namespace huddle::submission {

/// A submission's part of the records of its job: what was done with it and why, as the user was
/// told, its draw for the control group, and, if `planned`, what huddle plan was asked. Makes the
/// store's folder for them if it can; without one there will be no record. Returns what the user
/// should be told of the store: empty, or that somebody else made a folder of the user's name.
/// Throws SystemError if a variable can't be set.
std::string promise_record(SlurmClient& slurm, const PlanRequest& request, const Policy& policy,
                           Treatment treatment, const std::string& reason,
                           const std::optional<ControlDraw>& control, bool planned);

/// Variables that hand on what was decided.
inline constexpr std::array kDecidedVariables = {
    kFrequencyVariable, kStepVariable,  kPlanVariable,   kRecorderVariable, kStoreVariable,
    kLabelVariable,     kSizeVariable,  kTraceVariable,  kBalanceVariable,  kKeeperVariable,
    kThreadsVariable,   kTeamsVariable, kChooseVariable, kChooserVariable};

/// True if something was decided for a job or step of which this environment is.
bool has_decision(const SlurmClient& slurm);

/// Takes back all that a submission handed on, the preloaded libraries included. A job can submit
/// others, and what was decided for the one is wrong for the other.
void forget_what_was_decided(SlurmClient& slurm);

}  // namespace huddle::submission
