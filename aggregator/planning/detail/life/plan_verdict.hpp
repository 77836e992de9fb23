#pragma once

// The verdict on a plan, and the words for it.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "aggregator/planning/detail/life/obstacle.hpp"
#include "aggregator/planning/detail/life/plan_life.hpp"
#include "aggregator/planning/promise.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/plan_request.hpp"

namespace huddle::planning {

/// The way in which a run failed.
enum class RunFailure : std::uint8_t {
  kTimeLimit,
  kMemory,
  kUnknownEnd,  ///< it did not end, and Slurm does not know why any more
  kFailed,
  kStepStatus,  ///< one of its steps ended with another status than 0
  kOtherTasks,  ///< it launched a step that the measured run did not
};

/// A run that failed by its plan.
struct FailedRun {
  std::uint64_t job = 0;
  RunFailure how = RunFailure::kFailed;
  /// The plan's effect on a job: "packed" or "grouped".
  std::string_view run_as = "packed";
  /// The status that kStepStatus names.
  int status = 0;
  /// Set with kOtherTasks; the program's name is empty if it is not known.
  std::uint32_t tasks = 0;
  std::string program = {};
};

/// Results of the runs of a plan, or of its companion.
struct JudgedRuns {
  Plan plan;
  PromiseVerdict promise;
};

using PlanReason = std::variant<std::monostate, FailedRun, JudgedRuns, Obstacle>;

struct PlanVerdict {
  PlanState state = PlanState::kMissing;
  PlanReason reason = {};
};

/// "packed, job 8 ran out of memory"
std::string words_of(const FailedRun& run);

/// The message of a job that runs as submitted, for a plan that is withdrawn, compared or failed,
/// or for an obstacle.
std::string words_of(const PlanVerdict& verdict, const PlanRequest& request);

/// Results of the runs that followed the plan, for the message of a job that follows it: "3
/// packed runs took +0.2 % time (-1.0 to +1.4)", or that it is unconfirmed; empty if there is
/// nothing to say.
std::string packed_runs_of(const PlanVerdict& verdict, const PlanRequest& request);

}  // namespace huddle::planning
