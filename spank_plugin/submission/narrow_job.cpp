#include "spank_plugin/submission/narrow_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/submission/batch_script.hpp"
#include "spank_plugin/submission/decided_variables.hpp"
#include "spank_plugin/submission/slurm_texts.hpp"
#include "spank_plugin/submission/step_layout.hpp"

namespace huddle {
namespace {

// A task is to have as much memory as it would with all the CPUs that it asks for.
void add_memory_of_task(const SlurmClient& slurm, std::uint64_t asked, std::uint64_t given,
                        std::vector<OptionChange>& changes) {
  constexpr std::uint64_t kMib = std::uint64_t{1} << 20U;
  if (!slurm.is_set("mem-per-cpu")) return;
  const Bytes by_cpu = parse_memory(slurm.get("mem-per-cpu")).value_or(Bytes{});
  if (by_cpu.value == 0 || by_cpu.value > std::numeric_limits<std::uint64_t>::max() / asked) return;
  const std::uint64_t of_task = by_cpu.value * asked;
  changes.push_back({"mem-per-cpu", fmt::format("{}M", (of_task / kMib + given - 1) / given)});
}

constexpr const char* kOfOtherProgram = ",other";

// Whether a step needs more CPUs than the job has, though not more than it may have been asked for
// with: Slurm would refuse it for what it does not know.
bool are_too_many(const SlurmClient& slurm, std::uint64_t needed, const NarrowTasks& job) {
  const auto nodes = parse_tasks_per_node(slurm.variable("SLURM_JOB_CPUS_PER_NODE").value_or(""));
  if (!nodes || slurm.is_set("overcommit")) return false;
  const std::uint64_t cpus = std::accumulate(nodes->begin(), nodes->end(), std::uint64_t{0});
  return needed > cpus && needed <= cpus * job.asked / job.given;
}

// An srun that makes its own job has no script, and its tasks are the only ones.
std::string why_script_forbids_it(const SlurmClient& slurm,
                                  const std::optional<std::string>& script, Submitter by) {
  if (by == Submitter::kDirectSrun) return why_words_bind_ranks(slurm.program());
  if (!script) return "its script can't be looked at";
  if (script->empty()) return "there is no script, and your shell would see them";
  // nodes=fewer lets a script place ranks, but with all the CPUs that they ask for.
  std::string why = why_script_needs_its_nodes(*script);
  if (why.empty()) why = why_script_binds_ranks(*script);
  return why.empty() ? why_script_starts_steps_at_once(*script) : why;
}

// Whether the site would let it, and its ranks and threads could.
bool may_have_fewer_cpus(const SubmittedJob& job, const Policy& policy) {
  return job.mode == Mode::kAuto && job.packs_threads && job.request.cores_per_rank > 1 &&
         policy.threads_allowed && policy.fewer_cpus_allowed;
}

}  // namespace

std::optional<std::uint32_t> cpus_asked_for(const SlurmClient& slurm) {
  const TresPerTask tres = parse_tres_per_task(slurm.get(kTresPerTask));
  // 24.11 keeps a pointer into this text for its devices. Such a job has none, and its step fails.
  if (tres.has_devices) return std::nullopt;
  if (slurm.is_set("cpus-per-task")) return parse_count(slurm.get("cpus-per-task"));
  return tres.cpus.value_or(1);
}

std::optional<NarrowTasks> parse_narrow_tasks(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto given = parse_count(text.substr(0, slash));
  const auto asked = parse_count(text.substr(std::min(slash + 1, text.size())));
  if (!given || !asked || *given == 0 || *given >= *asked || *asked % *given != 0)
    return std::nullopt;
  return NarrowTasks{*given, *asked};
}

std::string text_of(const NarrowTasks& tasks) {
  return fmt::format("{}/{}", tasks.given, tasks.asked);
}

void agree_on_narrow_ranks(const SlurmClient& slurm, const Policy& policy,
                           const std::optional<std::string>& script, SubmittedJob& job) {
  std::string& why = job.why_not_narrow;
  if (job.request.cores_per_rank < 2)
    why = "its ranks have one CPU each";
  else if (!job.packs_threads)
    why = "its threads may not be packed (threads=pack)";
  else if (!policy.threads_allowed)
    why = "the site does not allow it (threads.allow in huddle.toml)";
  else if (!policy.fewer_cpus_allowed)
    why = "the site does not allow it (threads.fewer_cpus in huddle.toml)";
  else if (!job.why_not_measured.empty())
    why = job.why_not_measured;
  else if (!job.why_not_packed.empty())
    why = job.why_not_packed;
  else if (!job.why_nodes_are_kept.empty())
    why = job.why_nodes_are_kept;
  else if (slurm.variable(kTeamsVariable))
    why = fmt::format("you choose the cores of its teams ({})", kTeamsVariable);
  else if (parse_tres_per_task(slurm.get(kTresPerTask)).has_more)
    why = "it asks for more than CPUs for each task (--tres-per-task)";
  else
    why = why_script_forbids_it(slurm, script, job.by);
  job.request.packs_ranks = why.empty();
  if (why.empty() || !may_have_fewer_cpus(job, policy)) return;
  // Other remarks may have the reason already.
  for (const std::string* said :
       {&job.why_not_measured, &job.why_not_packed, &job.why_nodes_are_kept})
    if (why == *said) return;
  job.remarks.push_back("its ranks keep their cores: " + why);
}

std::optional<NarrowTasks> narrow_tasks_of(const Decision& decision, const SubmittedJob& job) {
  if (decision.packed_cores_per_rank == 0) return std::nullopt;
  if (!job.why_not_narrow.empty())
    throw Error(
        fmt::format("its plan gives ranks fewer CPUs than they ask for, and they keep them: {}",
                    job.why_not_narrow));
  const NarrowTasks tasks{decision.packed_cores_per_rank, job.request.cores_per_rank};
  if (!parse_narrow_tasks(text_of(tasks)))
    throw Error(fmt::format("its plan gives ranks {} of {} CPUs, which is no part of them",
                            tasks.given, tasks.asked));
  return tasks;
}

void change_cpus_of_tasks(const SlurmClient& slurm, std::uint32_t cpus,
                          std::vector<OptionChange>& changes) {
  changes.push_back({"cpus-per-task", std::to_string(cpus)});
  if (auto tres = tres_with_cpus(slurm.get(kTresPerTask), cpus))
    changes.push_back({kTresPerTask, *std::move(tres)});
}

void forget_decisions_in_step(SlurmClient& slurm) {
  const auto narrow = slurm.variable(kCpusPerTaskVariable);
  forget_what_was_decided(slurm);
  if (narrow) slurm.set_variable(kCpusPerTaskVariable, *narrow);
}

void fit_step_into_narrow_job(SlurmClient& slurm) {
  slurm.unset_variable(kStepCpusVariable);  // that of a step which this one is started from
  const auto job = parse_narrow_tasks(slurm.variable(kCpusPerTaskVariable).value_or(""));
  if (!job || !slurm.shows_options()) return;
  const auto tasks = parse_count(slurm.get("ntasks"));
  if (tasks == 1U || starts_a_launcher(slurm.command_line())) return;
  const std::optional<std::uint32_t> asked = cpus_asked_for(slurm);
  if (!asked) return;
  const std::uint64_t given =
      std::max<std::uint64_t>(1, std::uint64_t{*asked} * job->given / job->asked);
  try {
    if (*asked > 1) {
      std::vector<OptionChange> changes;
      change_cpus_of_tasks(slurm, static_cast<std::uint32_t>(given), changes);
      add_memory_of_task(slurm, *asked, given, changes);
      change_options(slurm, changes);
      slurm.set_variable(kStepCpusVariable, std::to_string(*asked));
    }
    if (tasks && are_too_many(slurm, *tasks * given, *job))
      change_options(slurm, {{"overcommit", ""}});
  } catch (const Error&) {  // Slurm will say whether it fits
  }
}

void note_other_program(SlurmClient& slurm) {
  if (const auto asked = slurm.variable(kStepCpusVariable))
    slurm.set_variable(kStepCpusVariable, *asked + kOfOtherProgram);
}

bool is_of_other_program(std::string_view step_cpus) {
  return step_cpus.ends_with(kOfOtherProgram);
}

}  // namespace huddle
