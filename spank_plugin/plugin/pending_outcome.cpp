#include "spank_plugin/plugin/pending_outcome.hpp"

#include <cerrno>
#include <cstdlib>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/job_environment.hpp"
#include "spank_plugin/launch/outcome_record.hpp"

namespace huddle {

void promise_record(const JobRequest& request, const Policy& policy, const Store& store,
                    Treatment treatment, const std::string& reason) {
  Outcome outcome;
  outcome.user = current_user();
  outcome.label = request.label;
  outcome.ranks = request.ranks;
  outcome.treatment = treatment;
  outcome.reason = reason;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): sbatch, salloc and srun read their options in one thread
  outcome.frequencies_set = std::getenv(kFrequencyVariable) != nullptr;
  if (outcome.ranks == 0) return;
  try {
    const bool in_home = policy.profiles_directory.starts_with("~/");
    store.make_folder({outcome.user, outcome.label, outcome.ranks}, in_home);
    store.let_read(outcome.user, policy.readers);
  } catch (const Error&) {  // a missing store is told where it matters: when a run is measured
    return;
  }
  promise_outcome(outcome, store);
  // Where a job is left as it is, its mpirun is, too.
  if (treatment == Treatment::kLeft) return;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): sbatch, salloc and srun read their options in one thread
  if (::setenv(kMpirunHelperVariable, policy.mpirun_helper.c_str(), 1) != 0)
    throw SystemError("set", kMpirunHelperVariable, errno);
}

}  // namespace huddle
