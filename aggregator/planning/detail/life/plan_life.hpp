#pragma once

// A plan's life, as docs/plans.md tells it: one enum for its states, and one table that says which
// of them a plan is in.

#include <cstdint>
#include <string_view>

#include "aggregator/planning/promise.hpp"

namespace huddle::planning {

/// Where a plan is in its life.
enum class PlanState : std::uint8_t {
  kSettled,      ///< a note says what is answered in its place
  kMissing,      ///< there is neither: it is to be made
  kFailed,       ///< a job that followed it failed, where the measured one did not
  kIdle,         ///< it leaves the job on its nodes
  kWithdrawn,    ///< its runs were slower than the bound allows
  kCompared,     ///< one job runs as submitted, to be compared with
  kUnconfirmed,  ///< nobody has followed it, and its program was built anew since it was measured
  kUntried,      ///< nobody has followed it: one job is the first
  kFollowed,     ///< jobs follow it
};

/// The word for it in docs/plans.md.
std::string_view name_of(PlanState state);

/// Everything that is known of a plan.
struct PlanFacts {
  /// True if a note is there in its place.
  bool noted = false;
  bool made = false;
  /// True if a job that followed it failed, and that is the plan's fault.
  bool failed = false;
  /// True if it takes fewer nodes than the job has.
  bool packs = true;
  /// True if its runs are compared: not where a site never withdraws plans, nor where the request
  /// names its profiles.
  bool judged = true;
  /// Results of its runs, and of those of its companions.
  PromiseState promise = PromiseState::kUntried;
  NextRun next = NextRun::kPacked;
  /// True if a job has followed it to an end that its program may have, or nobody can tell.
  bool followed = false;
  /// True if its program is another build than the one that was measured.
  bool rebuilt = false;
};

/// The first state, in their order, whose condition holds.
PlanState state_of(const PlanFacts& facts);

/// True if a job with such a plan runs as submitted, for what the plan's runs came to.
inline bool runs_as_submitted(PlanState state) {
  return state == PlanState::kWithdrawn || state == PlanState::kCompared;
}

}  // namespace huddle::planning
