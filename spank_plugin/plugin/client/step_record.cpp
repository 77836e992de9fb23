#include "spank_plugin/plugin/client/step_record.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"
#include "spank_plugin/launch/mpirun_record.hpp"
#include "spank_plugin/launch/outcome_record.hpp"
#include "spank_plugin/plugin/client/command_line.hpp"
#include "spank_plugin/plugin/client/slurm_program.hpp"
#include "spank_plugin/submission/asked/batch_script.hpp"
#include "spank_plugin/submission/asked/placing_options.hpp"
#include "spank_plugin/submission/step_layout.hpp"

namespace huddle::plugin {
namespace {

std::uint32_t number(spank_t spank, spank_item item, const char* what) {
  std::uint32_t value = 0;
  const spank_err_t outcome = spank_get_item(spank, item, &value);
  if (outcome != ESPANK_SUCCESS)
    throw Error(fmt::format("no record of this step: Slurm does not give the {}: {}", what,
                            spank_strerror(outcome)));
  return value;
}

// The option by which the user placed this step's tasks, if there is one: then they would be placed
// otherwise, or fail, on fewer nodes. What srun takes from its job's environment is not the user's.
std::string placed_by(const CommandLine& line, const submission::RequestedSize& job) {
  const auto value = [&](const char* name) -> std::string_view {
    const auto found = line.options.find(name);
    return found == line.options.end() ? std::string_view() : found->second;
  };
  const submission::StepSize size = {value("nodes"), value("ntasks"), value("ntasks-per-node")};
  const bool repeats = submission::repeats_request(size, job);
  for (const submission::PlacingOption& option : submission::kPlacingOptions) {
    const std::string_view name = option.name;
    if (!option.needs_nodes || !line.options.contains(option.name)) continue;
    if (submission::says_what_plans_do(name, value(option.name))) continue;
    if (repeats && (name == "nodes" || name == "ntasks-per-node")) continue;
    return fmt::format("--{}", name);
  }
  return {};
}

// A number of tasks that follows from the number of nodes is another on fewer.
bool says_how_many(const CommandLine& line) {
  return line.options.contains("ntasks");
}

// Each part of a heterogeneous step wants nodes of its own.
constexpr const char* kParts = "its several parts (:)";

void describe_program(const CommandLine& line, bool of_job, const submission::RequestedSize& job,
                      OutcomeRun& run) {
  if (!line.program.empty())
    run.program = std::filesystem::path(line.program[0]).filename().string();
  if (!of_job) return;  // the options are those of the job
  run.placed_by = placed_by(line, job);
  const bool one_task = run.tasks == 1U && run.nodes == 1;
  if (one_task && run.placed_by == "--nodes") run.placed_by.clear();
  if (run.tasks && !one_task && run.placed_by.empty() && !says_how_many(line))
    run.placed_by = "its number of nodes";
}

// MPICH's mpiexec starts its proxies by srun, whatever the number of nodes, and PRRTE its daemons
// of other nodes than its own. Neither can be told which core each rank gets, and srun does not
// learn how ranks end. (Open MPI 4's mpirun has our component.)
void record_launch_of_mpirun(spank_t spank, const SlurmProgram& slurm) {
  const std::string launcher = std::to_string(::getppid());
  const std::string name = launch::program_of_process(launcher);
  const bool is_mpich = name == "mpiexec.hydra";
  if (!is_mpich && name != "prterun") return;
  if (slurm.variable(kPlanVariable))
    say("{} starts ranks in its own order, not as planned: srun would follow the plan",
        is_mpich ? "MPICH's mpiexec" : "Open MPI's mpirun");
  const std::vector<std::string> words = launch::words_of_process(launcher);
  auto outcome = launch::mpirun_outcome(words, launch::program_of_mpirun(words), {});
  if (!outcome) return;
  outcome->run->step = number(spank, S_JOB_STEPID, "step's number");
  if (is_mpich) outcome->run->nodes = number(spank, S_JOB_NNODES, "number of nodes");
  outcome->messages = unsaid_lines();
  launch::begin_record(std::move(*outcome), launch::RecordEnd::kUnknown);
}

}  // namespace

void record_step(spank_t spank, bool of_job) {
  const SlurmProgram slurm;
  if (submission::starts_a_launcher(slurm.command_line())) {
    record_launch_of_mpirun(spank, slurm);
    return;
  }
  std::optional<Outcome> outcome = launch::promised_outcome();
  if (!outcome) return;
  const std::uint32_t tasks = number(spank, S_JOB_TOTAL_TASK_COUNT, "number of tasks");
  const bool other_step = tasks != outcome->ranks;
  if (other_step && outcome->treatment == Treatment::kLeft) return;
  if (auto plan = submission::told(slurm, kStepPlanWord)) outcome->plan_file = std::move(*plan);
  if (auto plan = submission::told(slurm, kStepGroupingWord)) outcome->plan_file = std::move(*plan);
  if (!other_step && follows_plan(outcome->treatment) && outcome->plan_file.empty()) {
    outcome->treatment = Treatment::kLeft;
    outcome->reason = "this step was not laid out by the plan";
  }
  OutcomeRun& run = outcome->run.emplace(launch::run_of_this_job());
  run.job = number(spank, S_JOB_ID, "job's number");
  run.step = number(spank, S_JOB_STEPID, "step's number");
  run.nodes = number(spank, S_JOB_NNODES, "number of nodes");
  if (other_step) run.tasks = tasks;
  run.launched = launched_program_of(submission::told(slurm, kProgramWord).value_or(""));
  // A packed job has other numbers than its steps repeat. There the plan places them, whatever is
  // noted.
  const auto nodes = number_in<std::uint32_t>(slurm.variable("SLURM_JOB_NUM_NODES").value_or(""));
  if (const auto line = read_command_line(slurm.command_line()))
    describe_program(*line, of_job, {nodes.value_or(0), outcome->ranks}, run);
  if (of_job && submission::parts_its_command_line(slurm.command_line())) run.placed_by = kParts;
  outcome->messages = unsaid_lines();
  launch::begin_record(std::move(*outcome));
}

}  // namespace huddle::plugin
