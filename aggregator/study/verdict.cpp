#include "aggregator/study/verdict.hpp"

#include <algorithm>

#include "profiles/vocabulary/text.hpp"

namespace huddle::study {

const std::array<VerdictText, kVerdicts> kVerdictTexts = {{
    {"could_use_fewer", "could use fewer nodes, by their cores and memory"},
    {"measured_first", "could as well, and would be measured first"},
    {"fills_cores", "fill the cores of their nodes"},
    {"fills_memory", "fill the memory of their nodes"},
    {"one_node", "are on one node already"},
    {"gpu", "use GPUs"},
    {"still_runs", "still run"},
    {"did_not_complete", "failed, were cancelled, or reached their time limit"},
    {"component", "are components of heterogeneous jobs"},
    {"broken_rows", "have broken lines among their rows"},
    {"tasks_unknown", "have tasks that were not recorded (no srun, or mpirun)"},
    {"steps_overlap", "have steps that ran beside each other"},
    {"outside_steps", "did much outside of their steps"},
    {"memory_unknown", "have no record of their memory"},
    {"cpu_time_unknown", "have no record of their CPU time"},
    {"threads_unknown", "ran more threads than they asked CPUs for"},
    {"node_unknown", "ran on nodes whose number of CPUs is not known"},
    {"node_memory_unknown", "ran on nodes whose memory is not known"},
    {"shared", "ran beside other jobs on their nodes"},
}};

namespace {

// Less of a job's time than this in its steps leaves too much that nobody recorded.
constexpr double kInSteps = 0.8;
// Threads of MPI libraries and the noise of sampling keep more than the asked CPUs busy at times.
constexpr double kBusy = 1.1;

}  // namespace

bool is_launcher(std::string_view program) {
  constexpr auto kLaunchers = std::to_array<std::string_view>({"bash",
                                                               "csh",
                                                               "dash",
                                                               "env",
                                                               "hydra_bstrap_proxy",
                                                               "hydra_pmi_proxy",
                                                               "ksh",
                                                               "mpiexec",
                                                               "mpiexec.hydra",
                                                               "mpirun",
                                                               "orted",
                                                               "orterun",
                                                               "pmi_proxy",
                                                               "prted",
                                                               "prterun",
                                                               "sh",
                                                               "srun",
                                                               "tcsh",
                                                               "xargs",
                                                               "zsh"});
  return among(kLaunchers, program);
}

std::optional<Verdict> verdict_of(const DumpedJob& job) {
  const DumpedSteps& steps = job.steps;
  if (job.has_gpus) return Verdict::kGpu;
  if (job.nodes == 1) return Verdict::kOneNode;
  if (job.state == JobState::kRunning || job.state == JobState::kPending)
    return Verdict::kStillRuns;
  if (job.state != JobState::kCompleted) return Verdict::kDidNotComplete;
  if (job.is_component) return Verdict::kComponent;
  if (job.is_broken) return Verdict::kBrokenRows;
  if (steps.lacks_tasks || steps.tasks == 0 || steps.nodes == 0 || is_launcher(steps.program))
    return Verdict::kTasksUnknown;
  if (steps.overlap) return Verdict::kStepsOverlap;
  if (steps.elapsed_s < kInSteps * job.elapsed_s) return Verdict::kOutsideSteps;
  if (steps.lacks_memory || !(steps.task_bytes > 0)) return Verdict::kMemoryUnknown;
  if (steps.lacks_cpu_time) return Verdict::kCpuTimeUnknown;
  if (steps.busy_cores > kBusy * cpus_of_task(job)) return Verdict::kThreadsUnknown;
  if (job.cpus == 0) return Verdict::kNodeUnknown;
  // A part of a node somewhere, or nodes of several sizes.
  if (job.cpus % job.nodes != 0 || steps.nodes > job.nodes) return Verdict::kShared;
  return std::nullopt;
}

std::uint32_t cpus_of_task(const DumpedJob& job) {
  const std::uint32_t tasks = job.steps.tasks;
  return std::max(1U, job.requested_cpus / tasks + (job.requested_cpus % tasks > 0 ? 1U : 0U));
}

}  // namespace huddle::study
