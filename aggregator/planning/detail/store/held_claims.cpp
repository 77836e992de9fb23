#include "aggregator/planning/detail/store/held_claims.hpp"

#include <chrono>
#include <optional>

#include "profiles/store/job_claim.hpp"

namespace huddle {
namespace {

using std::chrono::seconds;

// The longest that a submission takes which is not seen to go on, and the most that clocks differ
// by.
constexpr seconds kSubmission{120};
constexpr seconds kClocks{30};
// For how long a claim counts of which Slurm says nothing.
constexpr std::chrono::hours kPatience{6};

// Before its first step only its submission's moment and its name tell the job from others. While
// one of several that are alike waits or runs, it may be this one.
bool may_be_waiting(const JobClaim& claim, const PlanRequest& request) {
  const auto age = utc_now() - claim.made;
  const std::optional<bool> going_on = is_being_submitted(claim);
  if (going_on.value_or(age < kSubmission)) return true;
  return ask_for_submitted_job(request.user, claim.job_name, claim.made - kClocks,
                               claim.made + kSubmission)
      .value_or(age < kPatience);
}

bool is_over(const JobClaim& claim, const PlanRequest& request, const JobStates& state_of) {
  if (claim.job == 0) return !may_be_waiting(claim, request);
  const std::string state = state_of(claim.job);
  if (state.empty()) return utc_now() - claim.made > kPatience;
  // Then its steps have ended.
  return state == "COMPLETING" || !is_going_on(state);
}

}  // namespace

bool is_held(const std::filesystem::path& file, const PlanRequest& request,
             const JobStates& state_of) {
  const std::optional<JobClaim> claim = read_claim(file);
  if (!claim) return false;
  if (!is_over(*claim, request, state_of)) return true;
  if (!request.dry_run) end_claim(file, *claim);
  return false;
}

}  // namespace huddle
