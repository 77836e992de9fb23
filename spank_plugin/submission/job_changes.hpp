#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiles/formats/plan/decision.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "spank_plugin/submission/asked/submitted_job.hpp"
#include "spank_plugin/submission/slurm_client.hpp"

namespace huddle::submission {

/// The changes of Slurm's options by which a job gets the nodes that `decision` has for it, whole,
/// and with as many of its tasks on the fullest one.
std::vector<OptionChange> layout_changes(const SlurmClient& slurm, const Decision& decision,
                                         const SubmittedJob& job);

/// Tells the plan of a job that keeps its nodes; nothing that Slurm does with the job changes. On
/// one node tasks take the cores that their step has, in the plan's order.
void tell_grouping(SlurmClient& slurm, const Decision& decision, Submitter by);

/// Takes the place that the decision needs (Decision::claim) for the job that is being submitted:
/// until it is over, no other job does the same. The job learns of it by kClaimWord. Nothing
/// happens where none is needed, or in a dry run. Throws Error, whose text is the reason for the
/// user, if another job has the place, and if it can't be taken.
void take_place(SlurmClient& slurm, const Decision& decision, const PlanRequest& request);

/// The comment of a packed job that was asked for on `requested` nodes, for squeue, sacct and
/// scontrol: "huddle:packed 8->2 2:2:2 +0.6%". The last word is the predicted change of time; it is
/// missing where none is predicted.
std::string job_comment(const Decision& decision, std::optional<std::uint32_t> requested);

/// Gives the job that comment, unless it has one. A Slurm that does not take it does no harm.
void comment_on_job(SlurmClient& slurm, const Decision& decision,
                    std::optional<std::uint32_t> requested);

/// Lets each step that follows the plan say once what was done: the submission's own words, on the
/// step's standard error. Throws SystemError.
void announce_in_steps(SlurmClient& slurm, const std::string& reason);

/// Both of these, as far as the job has steps, the site wants them to say it (`in_steps`), and it
/// is packed onto fewer nodes. Throws SystemError.
void announce_in_job(SlurmClient& slurm, const SubmittedJob& job, const Decision& decision,
                     bool in_steps);

/// In such a step: says it.
void say_announcement(SlurmClient& slurm);

}  // namespace huddle::submission
