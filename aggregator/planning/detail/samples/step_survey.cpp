#include "aggregator/planning/detail/samples/step_survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>

#include "profiles/files/folder_names.hpp"
#include "profiles/records/step_profiles.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;

// "profile-20261122T003949.123Z-17.0-pid5.json" is of job 17; empty for a name of another kind.
std::string job_in(const std::string& name) {
  const std::size_t begin = name.find("Z-");
  if (begin == std::string::npos) return {};
  const std::size_t end = name.find('.', begin);
  if (end == std::string::npos) return {};
  return name.substr(begin + 2, end - begin - 2);
}

// Looks at one of the steps. One that followed a plan was placed by that, though older records of
// mpirun say otherwise.
Obstacle obstacle_in(const Outcome& step) {
  const OutcomeRun& run = *step.run;
  std::string name = shortened(step_program(run));
  if (!run.placed_by.empty() && step.plan_file.empty())
    return {.kind = Obstacle::Kind::kStepPlaced,
            .name = std::move(name),
            .by = shortened(run.placed_by)};
  if (run.tasks == 0U) return {.kind = Obstacle::Kind::kRanksUnknown, .name = std::move(name)};
  return {};
}

// The time of a step of which nothing else is known. (A single task does not share its node with
// others of its step, however many nodes there are.)
Seconds unmeasured_time(const Outcome& step) {
  const std::uint32_t tasks = step.run->tasks.value_or(step.ranks);
  const bool measured = !step.profile_file.empty();
  return step.end && tasks > 1 && !measured ? step.end->elapsed : Seconds{};
}

}  // namespace

std::optional<Outcome> step_record_in(const fs::path& file) {
  try {
    Outcome outcome = records::load_record(file);
    if (outcome.run) return outcome;
  } catch (const Error&) {  // as if it were not there
  }
  return std::nullopt;
}

std::string_view step_program(const OutcomeRun& run) {
  return run.program.empty() ? std::string_view("a step") : std::string_view(run.program);
}

StepSurvey survey_steps(const fs::path& profile) {
  StepSurvey survey;
  Seconds longest;
  const std::string job = job_in(profile.filename().string());
  if (job.empty()) return survey;
  for (const std::string& name : files::names_in(profile.parent_path())) {
    if (!name.starts_with("outcome-") || job_in(name) != job) continue;
    const std::optional<Outcome> step = step_record_in(profile.parent_path() / name);
    if (!step) continue;
    if (!survey.obstacle) survey.obstacle = obstacle_in(*step);
    if (step->end && step->end->job_elapsed)
      survey.job_time = std::max(survey.job_time.value_or(Seconds{}), *step->end->job_elapsed);
    const Seconds unknown = unmeasured_time(*step);
    survey.unknown_time += unknown;
    if (unknown > longest) {
      longest = unknown;
      survey.unknown_program = step_program(step->run.value());
    }
    survey.steps.push_back(*step);
  }
  return survey;
}

}  // namespace huddle::planning
