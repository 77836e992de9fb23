#include "spank_plugin/submission/job_place.hpp"

#include <filesystem>
#include <string>

#include "profiles/store/job_claim.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/launch/store_access.hpp"

namespace huddle {

void take_place(SlurmClient& slurm, const Decision& decision, const PlanRequest& request) {
  untell(slurm, kClaimWord);  // that of a job that this one is submitted from
  if (decision.claim.empty() || request.dry_run) return;
  const std::filesystem::path file = decision.claim;
  const JobClaim claim = claim_of_this_process(slurm.get("job-name"));
  const auto take = [&] { return std::string(take_claim(file, claim) ? "mine" : ""); };
  if (text_with_files(file, take).empty())
    throw Error(decision.action == Decision::Action::kMeasure ? kRunIsBeingMeasured
                                                              : kFirstRunIsTaken);
  tell(slurm, kClaimWord, claim.token() + " " + file.filename().string());
}

}  // namespace huddle
