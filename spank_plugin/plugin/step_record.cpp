#include "spank_plugin/plugin/step_record.hpp"

#include <fmt/format.h>

#include <string>

#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "spank_plugin/launch/outcome_record.hpp"
#include "spank_plugin/plugin/slurm_program.hpp"
#include "spank_plugin/submission/step_layout.hpp"

namespace huddle {
namespace {

std::uint32_t number(spank_t spank, spank_item item, const char* what) {
  std::uint32_t value = 0;
  const spank_err_t outcome = spank_get_item(spank, item, &value);
  if (outcome != ESPANK_SUCCESS)
    throw Error(fmt::format("no record of this step: Slurm does not give the {}: {}", what,
                            spank_strerror(outcome)));
  return value;
}

}  // namespace

void record_step(spank_t spank) {
  const SlurmProgram slurm;
  std::optional<Outcome> outcome = promised_outcome();
  if (!outcome || starts_a_launcher(slurm.command_line())) return;
  if (number(spank, S_JOB_TOTAL_TASK_COUNT, "number of tasks") != outcome->ranks) return;
  outcome->plan_file = slurm.variable(kStepPlanVariable).value_or("");
  if (outcome->treatment == Treatment::kPacked && outcome->plan_file.empty()) {
    outcome->treatment = Treatment::kLeft;
    outcome->reason = "this step was not laid out by the plan";
  }
  OutcomeRun& run = outcome->run.emplace(run_of_this_job());
  run.job = number(spank, S_JOB_ID, "job's number");
  run.step = number(spank, S_JOB_STEPID, "step's number");
  run.nodes = number(spank, S_JOB_NNODES, "number of nodes");
  begin_record(std::move(*outcome));
}

}  // namespace huddle
