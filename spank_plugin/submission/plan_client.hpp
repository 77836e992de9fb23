#pragma once

#include <string>

#include "profiles/formats/plan/decision.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "spank_plugin/submission/asked/submitted_job.hpp"

namespace huddle::submission {

/// Sends the job's request to `huddle plan`, a child of this process, and returns what it decides.
/// Throws Error if it does not answer in time, fails, or prints something that is no decision.
Decision ask_for_decision(const SubmittedJob& job, const Policy& policy);

/// Prints the same for people: the table of patterns, a sentence, and what keeps the job from being
/// packed. Throws Error.
void say_table(SlurmClient& slurm, const SubmittedJob& job, const Policy& policy);

/// Decides on a job that keeps its nodes and places (SubmittedJob::kept_layout, which must be
/// set): it is left, but where its threads may be packed it is measured first, and then has the
/// teams of huddle plan's answer. Does not throw for what is only about these.
Decision decision_of_unpacked_job(const SubmittedJob& job, const Policy& policy);

/// The decision of the job's own plan (`plan=FILE`), checked against the job and the site's limits.
/// Throws Error if it can't be read, is for another job, or is beyond a limit.
Decision decision_of_own_plan(const SubmittedJob& job, const Policy& policy);

}  // namespace huddle::submission
