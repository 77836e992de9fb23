#include "spank_plugin/submission/decided_variables.hpp"

#include <filesystem>

#include "profiles/store/store.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/preloaded_libraries.hpp"
#include "spank_plugin/launch/store_access.hpp"

namespace huddle {

std::string promise_record(SlurmClient& slurm, const PlanRequest& request, const Policy& policy,
                           Treatment treatment, const std::string& reason, bool planned) {
  if (request.ranks == 0) return {};
  Outcome outcome;
  outcome.user = request.user;
  outcome.label = request.label;
  outcome.ranks = request.ranks;
  outcome.script = request.script;
  outcome.treatment = treatment;
  outcome.reason = reason;
  if (planned) outcome.request = request;
  outcome.frequencies_set =
      slurm.variable(kFrequencyVariable).has_value() || slurm.variable(kBalanceVariable);
  const Store store(request.store);
  std::string remark;
  try {
    remark = text_with_files(request.store, [&] {
      store.make_folder({request.user, request.label, request.ranks}, request.make_store);
      store.let_read(request.user, policy.readers);
      return store.why_part_is_elsewhere(request.user);
    });
  } catch (const Error&) {  // a store that is missing is reported when a run is measured
    return {};
  }
  slurm.set_variable(kOutcomeVariable, to_json(outcome));
  slurm.set_variable(kOutcomeStoreVariable, std::filesystem::absolute(store.root()).string());
  // Where a job is left as it is, its mpirun is, too.
  if (treatment != Treatment::kLeft)
    slurm.set_variable(kMpirunHelperVariable, policy.mpirun_helper);
  return remark;
}

void forget_what_was_decided(SlurmClient& slurm) {
  // The recorder's own variables may also be the user's, who runs it by hand.
  slurm.unset_variable(kFrequencyVariable);
  if (!slurm.variable(kPlanVariable) && !slurm.variable(kGroupingVariable) &&
      !slurm.variable(kRecorderVariable) && !slurm.variable(kOutcomeVariable))
    return;
  for (const char* library_variable : {kRecorderVariable, kMpirunHelperVariable}) {
    const auto library = slurm.variable(library_variable);
    const auto preloaded = slurm.variable("LD_PRELOAD");
    if (!library || !preloaded) continue;
    const std::string rest = library_variable == kRecorderVariable
                                 ? preload_without_recorders(*preloaded, *library)
                                 : preload_without(*preloaded, *library);
    if (rest.empty())
      slurm.unset_variable("LD_PRELOAD");
    else
      slurm.set_variable("LD_PRELOAD", rest);
  }
  for (const char* name :
       {kPlanVariable,      kStepPlanVariable,     kGroupingVariable,       kStepGroupingVariable,
        kRecorderVariable,  kStoreVariable,        kLabelVariable,          kSizeVariable,
        kScriptVariable,    kProgramVariable,      kStoreCreateVariable,    kTraceVariable,
        kPackedRunVariable, kMpirunHelperVariable, kMpirunRankfileVariable, kMpirunRanksVariable,
        kOutcomeVariable,   kOutcomeStoreVariable, kAnnouncementVariable,   kBalanceVariable,
        kKeeperVariable,    kThreadsVariable,      kTeamsVariable,          kChooseVariable,
        kChooserVariable,   kTeamSizesVariable,    kClaimVariable,          kStepMessagesVariable})
    slurm.unset_variable(name);
}

}  // namespace huddle
