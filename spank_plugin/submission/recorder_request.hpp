#pragma once

// Variables by which a job asks for the recorder, and verdicts on what that may do to the job.

#include <string>

#include "profiles/formats/plan/decision.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "spank_plugin/submission/asked/aggregate_option.hpp"
#include "spank_plugin/submission/asked/submitted_job.hpp"
#include "spank_plugin/submission/slurm_client.hpp"

namespace huddle::submission {

/// Lets the job's ranks be recorded: sets what the recorder and those who preload it read.
void ask_for_recorder(SlurmClient& slurm, const PlanRequest& request, const Policy& policy);

/// True if a job that `decision` packs is recorded, so that its promise can be checked. After the
/// job's variables are set.
bool records_packed_run(const SlurmClient& slurm, const SubmittedJob& job, const Policy& policy,
                        const Decision& decision);

/// Refuses clocks that follow loads to a job that asks for it.
Verdict balance_verdict(const SubmittedJob& job, const Policy& policy);

/// Refuses to act on the threads of a job that asks for it.
Verdict threads_verdict(const SubmittedJob& job, const Policy& policy);

/// Settles what may be done about the threads of the job's ranks, and whether huddle plan is asked
/// on how many cores its teams run. After the job's cores and places are known.
void agree_on_threads(const AggregateOption& option, const Policy& policy, const SlurmClient& slurm,
                      SubmittedJob& job);

/// Asks for a recorder that acts on the threads of the job's ranks, and adds to the job's remarks
/// what becomes of them. Its teams run on the cores that the decision has for them (HUDDLE_TEAMS),
/// stay as they are where it says why, or else are tried on fewer cores; a line that the user has
/// set himself comes first.
void act_on_threads(SlurmClient& slurm, SubmittedJob& job, const Decision& decision);

}  // namespace huddle::submission
