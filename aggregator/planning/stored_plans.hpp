#pragma once

// What is stored of the plans of a key, for those who explain what submissions will be answered.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// How many jobs one kind's times are of, and their mean.
struct RunTimes {
  std::size_t jobs = 0;
  /// The geometric mean of the jobs' elapsed times, which is what is compared; 0 without jobs.
  Seconds mean;
};

/// Jobs that ended well by a plan, and as submitted on the nodes of its reference.
struct ComparedRuns {
  RunTimes as_submitted;
  RunTimes packed;
  /// The packed ones against those as submitted, 0.05 being 5 % slower, and the interval that holds
  /// it with 90 % probability; 0 unless there are both.
  double slowdown = 0;
  double low = 0;
  double high = 0;
  /// Further packed jobs, which took less time than the plan explains and are taken for another
  /// workload, and by how much less.
  std::size_t unexplained = 0;
  double unexplained_change = 0;
};

/// How many of the newest jobs of each kind are compared at most.
std::size_t most_compared_jobs();

/// The runs that a submission with this request judges the stored plan by: of the request's script,
/// the plan's program and its build. None if the plan names no program.
ComparedRuns compared_runs(const Plan& plan, const std::filesystem::path& file,
                           const PlanRequest& request);

}  // namespace huddle
