#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/planning/detail/life/obstacle.hpp"
#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::planning {

/// Evidence in the records of a measured job's steps. Without records nothing is known, and all is
/// empty.
struct StepSurvey {
  /// One record of each step.
  std::vector<Outcome> steps;
  /// Why fewer nodes could change what the job does; none if no step shows it.
  Obstacle obstacle;
  /// From the beginning of the batch script to the end of its last step.
  std::optional<Seconds> job_time;
  /// Time of steps of several tasks of which no profile is left: programs without MPI, steps of
  /// other numbers of tasks. And the program of the longest of them.
  Seconds unknown_time;
  std::string unknown_program;
};

/// Surveys the job that left the stored profile `profile`, whose name tells its number. Records
/// that can't be read count as missing. Throws SystemError.
StepSurvey survey_steps(const std::filesystem::path& profile);

/// The record in a file; nothing if it can't be read, or is of no step that began.
std::optional<Outcome> step_record_in(const std::filesystem::path& file);

/// The name by which people know the program of a step.
std::string_view step_program(const OutcomeRun& run);

}  // namespace huddle::planning
