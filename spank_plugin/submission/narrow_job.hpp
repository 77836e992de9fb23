#pragma once

// Jobs whose ranks get fewer CPUs than their user asks for: what of Slurm must not show it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/plan/decision.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "spank_plugin/submission/slurm_client.hpp"
#include "spank_plugin/submission/submitted_job.hpp"

namespace huddle {

/// How many CPUs each task of a job has, and how many its user asked for, which are a multiple of
/// them.
struct NarrowTasks {
  std::uint32_t given = 0;
  std::uint32_t asked = 0;
};

/// The number of CPUs that a step wants for each of its tasks, which Slurm may know by either of
/// two options; nothing if that can't be made out.
std::optional<std::uint32_t> cpus_asked_for(const SlurmClient& slurm);

/// HUDDLE_CPUS_PER_TASK, "2/4"; nothing where the text is nothing of the kind.
std::optional<NarrowTasks> parse_narrow_tasks(std::string_view text);
std::string text_of(const NarrowTasks& tasks);

/// Says in the job why its ranks may not have fewer CPUs than they ask for, or lets huddle plan be
/// asked for that. Where the site would allow it, and nothing else says so, its user gets a remark.
/// After all else is known of the job. `script`: as SlurmClient::script().
void agree_on_narrow_ranks(const SlurmClient& slurm, const Policy& policy,
                           const std::optional<std::string>& script, SubmittedJob& job);

/// Of a decision by which ranks get fewer: both numbers. Nothing if they get what they ask for.
/// Throws Error if the job may not have that, or the numbers do not belong together.
std::optional<NarrowTasks> narrow_tasks_of(const Decision& decision, const SubmittedJob& job);

/// Adds the changes of Slurm's options by which each task has so many CPUs, wherever this Slurm
/// says how many they are.
void change_cpus_of_tasks(const SlurmClient& slurm, std::uint32_t cpus,
                          std::vector<OptionChange>& changes);

/// In an srun inside a job: takes back what was decided for it, but that its ranks have fewer CPUs,
/// which they have whatever Huddle may do.
void forget_decisions_in_step(SlurmClient& slurm);

/// In an srun inside such a job: asks for fewer CPUs a task where the step asks for some, in
/// proportion, so that a step that would fit in the job as it was asked for fits in it as it is,
/// with as much memory for each task, and notes for the tasks what it did ask for. Leaves a step of
/// one task alone, which fits on any node, and a launcher's daemons, of which each node has one.
/// More tasks than the job has CPUs now, but not as it was asked for, share them (--overcommit). A
/// Slurm that refuses leaves the step as it is.
void fit_step_into_narrow_job(SlurmClient& slurm);

/// After that: the step starts another program than the job's plan is for, and the task hook leaves
/// the size of its teams alone.
void note_other_program(SlurmClient& slurm);

/// Whether HUDDLE_STEP_CPUS_PER_TASK says so.
bool is_of_other_program(std::string_view step_cpus);

}  // namespace huddle
