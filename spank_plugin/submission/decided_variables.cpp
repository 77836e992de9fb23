#include "spank_plugin/submission/decided_variables.hpp"

#include <filesystem>

#include "profiles/store/store.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/preloaded_libraries.hpp"
#include "profiles/vocabulary/step_words.hpp"
#include "spank_plugin/launch/store_access.hpp"
#include "spank_plugin/submission/carried_variables.hpp"

namespace huddle::submission {

std::string promise_record(SlurmClient& slurm, const PlanRequest& request, const Policy& policy,
                           Treatment treatment, const std::string& reason,
                           const std::optional<ControlDraw>& control, bool planned) {
  if (request.ranks == 0) return {};
  Outcome outcome;
  outcome.user = request.user;
  outcome.label = request.label;
  outcome.ranks = request.ranks;
  outcome.script = request.script;
  outcome.treatment = treatment;
  outcome.reason = reason;
  outcome.control = control;
  if (planned) outcome.request = request;
  outcome.frequencies_set =
      slurm.variable(kFrequencyVariable).has_value() || slurm.variable(kBalanceVariable);
  const store::Store store(request.store);
  std::string remark;
  try {
    remark = launch::text_with_files(request.store, [&] {
      store.make_folder({request.user, request.label, request.ranks}, request.make_store);
      store.let_read(request.user, policy.readers);
      return store.why_part_is_elsewhere(request.user);
    });
  } catch (const Error&) {  // a store that is missing is reported when a run is measured
    return {};
  }
  tell(slurm, kOutcomeWord, to_json(outcome));
  tell(slurm, kOutcomeStoreWord, std::filesystem::absolute(store.root()).string());
  // Where a job is left as it is, its mpirun is, too.
  if (treatment != Treatment::kLeft) tell(slurm, kMpirunHelperWord, policy.mpirun_helper);
  return remark;
}

bool has_decision(const SlurmClient& slurm) {
  return slurm.variable(kPlanVariable) || told(slurm, kGroupingWord) ||
         slurm.variable(kRecorderVariable) || told(slurm, kOutcomeWord) ||
         slurm.variable(kFrequencyVariable);
}

void forget_what_was_decided(SlurmClient& slurm) {
  // The recorder's own variables may also be the user's, who runs it by hand.
  slurm.unset_variable(kFrequencyVariable);
  slurm.unset_variable(kCarrierVariable);
  if (!has_decision(slurm)) return;
  const auto recorder = slurm.variable(kRecorderVariable);
  const auto component = told(slurm, kMpirunHelperWord);
  if (const auto preloaded = slurm.variable("LD_PRELOAD"); preloaded && (recorder || component)) {
    std::string rest = recorder ? preload_without_recorders(*preloaded, *recorder) : *preloaded;
    if (component) rest = preload_without(rest, *component);
    if (rest.empty())
      slurm.unset_variable("LD_PRELOAD");
    else
      slurm.set_variable("LD_PRELOAD", rest);
  }
  for (const char* name : kDecidedVariables) slurm.unset_variable(name);
}

}  // namespace huddle::submission
