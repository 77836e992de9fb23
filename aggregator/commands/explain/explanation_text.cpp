#include <fmt/format.h>

#include "aggregator/commands/explain/explanation.hpp"
#include "aggregator/commands/report/report_output.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/figures.hpp"
#include "profiles/vocabulary/pluralize.hpp"
#include "profiles/vocabulary/utc_time.hpp"

namespace huddle::cli {
namespace {

using Action = Decision::Action;

std::string day_of(UtcTime time) {
  return text_of(time).substr(0, 10);
}

std::string measured_line(const MeasuredRuns& measured) {
  if (measured.profiles == 0) return "no profile yet";
  std::string line = pluralize(measured.profiles, "profile");
  if (!measured.unreadable.empty())
    return fmt::format("{}; the newest is unknown: {}", line, measured.unreadable);
  line += measured.profiles == 1 ? "," : ", the newest";
  if (!measured.day.empty()) line += " of " + measured.day;
  line += measured.job != 0
              ? fmt::format(" (job {}, {})", measured.job, pluralize(measured.nodes, "node"))
              : fmt::format(" ({})", pluralize(measured.nodes, "node"));
  return line;
}

std::string plan_line(const Explanation& explanation) {
  if (!explanation.plan_unreadable.empty()) return explanation.plan_unreadable;
  if (explanation.plan_file.empty()) return explanation.next.decision ? "none yet" : "not known";
  const std::string file = explanation.plan_file.filename().string();
  if (!explanation.plan) return fmt::format("none is followed (a note instead of {})", file);
  const Plan& plan = *explanation.plan;
  std::string line = shortened(plan.reason, 400);
  if (!plan.chosen.rests_on.empty())
    line += fmt::format("; the prediction rests on {}", plan.chosen.rests_on);
  return fmt::format("{} ({})", line, file);
}

std::string recorded_line(const operations::JobSums& sums) {
  const std::uint32_t all = sums.measured + sums.packed + sums.grouped + sums.left;
  if (all == 0) return "no step is on record";
  std::string kinds;
  const auto add = [&](std::uint32_t number, std::string_view what) {
    if (number > 0) kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", number, what);
  };
  add(sums.measured, "measured");
  add(sums.packed, "packed");
  add(sums.grouped, "grouped");
  add(sums.left, "as submitted");
  std::string line = fmt::format("{}: {}", pluralize(all, "step"), kinds);
  if (sums.failed > 0) line += fmt::format("; {} failed", sums.failed);
  if (sums.unknown_end > 0)
    line += fmt::format("; of {} the end is not on record", sums.unknown_end);
  return line;
}

// In the unit of Slurm's accounting: the job's weighted resources times hours.
std::string charged_line(const operations::JobSums& sums) {
  return fmt::format("{:.4g} billing-h for {} by the plan, {:.4g} for as many as submitted",
                     sums.charge, pluralize(sums.compared_charge, "step"),
                     sums.charge + *sums.saved.charge);
}

std::string times_text(std::size_t jobs, Seconds mean) {
  return fmt::format("{}{}, {:.4g} s on average",
                     jobs == planning::kMostComparedRuns ? "the newest " : "",
                     pluralize(jobs, "job"), mean.value);
}

// Only of a plan that packs.
std::string compared_line(const Plan& plan, const planning::PromiseVerdict& runs) {
  std::string line =
      runs.runs_as_submitted == 0
          ? fmt::format("no job as submitted on {}", pluralize(plan.reference.nodes, "node"))
          : fmt::format("as submitted on {}: {}", pluralize(plan.reference.nodes, "node"),
                        times_text(runs.runs_as_submitted, runs.time_as_submitted));
  line += "; ";
  line += runs.packed_runs == 0 ? "no packed job"
                                : fmt::format("packed by {} on {}: {}", plan.chosen.pattern,
                                              pluralize(plan.chosen.nodes, "node"),
                                              times_text(runs.packed_runs, runs.packed_time));
  if (runs.runs_as_submitted > 0 && runs.packed_runs > 0)
    line += fmt::format(": {} % ({} to {})", percent_text(runs.slowdown), percent_text(runs.low),
                        percent_text(runs.high));
  if (runs.unexplained_runs > 0)
    line += fmt::format(
        "; not counted: {} packed that took {} % time, which no packing explains: "
        "another workload, it seems",
        pluralize(runs.unexplained_runs, "job"), percent_text(runs.unexplained_change));
  return line;
}

std::string step_line(const Outcome& step) {
  const OutcomeRun& run = *step.run;
  const std::string what = step.treatment == Treatment::kLeft
                               ? "ran as submitted"
                               : fmt::format("was {}", name_of(step.treatment));
  const std::string end = step.end ? fmt::format("took {:.4g} s and ended with status {}",
                                                 step.end->elapsed.value, step.end->status)
                                   : "and its end is not on record";
  std::string line = fmt::format("job {} on {} {} on {}{} {}", job_name(run), day_of(run.start),
                                 what, pluralize(run.nodes, "node"), step.end ? "," : "", end);
  if (!step.reason.empty()) line += fmt::format("; it was told: {}", shortened(step.reason, 400));
  for (const std::string& message : step.messages)
    line += fmt::format("; not printed in it: {}", shortened(message, 400));
  return line;
}

std::string sizes_line(const store::SizesConsent& consent) {
  const std::string name = shortened(consent.program, 400);
  switch (consent.state) {
    case store::SizesState::kKeep:
      break;
    case store::SizesState::kAudit:
      return fmt::format("the next run of {} with threads=pack tries teams of fewer threads", name);
    case store::SizesState::kHarm:
      return fmt::format("those of {} stay: a run that tried smaller teams has not ended well",
                         name);
    case store::SizesState::kAct:
      return fmt::format("{} may have teams of fewer threads: a run that tried them ended well",
                         name);
  }
  return "they stay";
}

std::string next_line(const Explanation& explanation) {
  const NextSubmission& next = explanation.next;
  if (!next.decision) return "not known: " + next.why_unknown;
  const Decision& decision = *next.decision;
  switch (decision.action) {
    case Action::kMeasure:
      return decision.reason;
    case Action::kLeave:
      return "as submitted, since " + decision.reason;
    case Action::kApply:
      break;
  }
  if (!next.by_stored_plan) return "by a new plan: " + decision.reason;
  const operations::JobSums& sums = explanation.recorded;
  if (decision.keeps_nodes) return sums.grouped > 0 ? "grouped again" : "grouped";
  return sums.packed > 0 || explanation.compared.packed_runs > 0 ? "packed again" : "packed";
}

}  // namespace

std::string explanation_text(const Explanation& explanation) {
  std::string text = fmt::format("{}, {}, user {}\n", shortened(explanation.key.label),
                                 pluralize(explanation.key.ranks, "rank"), explanation.key.user);
  const auto add = [&](std::string_view name, const std::string& line) {
    text += fmt::format("  {:<10}{}\n", fmt::format("{}:", name), line);
  };
  add("measured", measured_line(explanation.measured));
  add("plan", plan_line(explanation));
  add("runs", recorded_line(explanation.recorded));
  if (explanation.plan && explanation.plan->packs())
    add("times", compared_line(*explanation.plan, explanation.compared));
  if (explanation.recorded.compared_charge > 0) add("charged", charged_line(explanation.recorded));
  if (!explanation.teams.empty()) add("teams", explanation.teams);
  for (const store::SizesConsent& consent : explanation.sizes) add("sizes", sizes_line(consent));
  for (const Outcome& step : explanation.steps) add("step", step_line(step));
  add("next", next_line(explanation));
  for (const std::string& assumption : explanation.next.assumptions) add("if", assumption);
  return text;
}

}  // namespace huddle::cli
