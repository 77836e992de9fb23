#include "tests/evaluation/hybrid/hybrid_study.hpp"

#include <algorithm>
#include <ctime>

#include "tests/evaluation/hybrid/team_optimum.hpp"

namespace huddle::hybrid {

Case case_of(const TrueProgram& program, const Description& described) {
  Case result;
  result.program = program;
  result.described = described_program(program, described);
  result.reference =
      run_truth(program, settings_of(result.described, reference_choice(result.described)));
  result.static_seconds = best_static_seconds(program, result.described);
  return result;
}

double most_seconds(const Case& of, const TeamStrategyOptions& options) {
  return std::min((1 + options.slowdown_bound) * of.reference.seconds,
                  (1 + options.above_static) * of.static_seconds);
}

Outcome outcome_of(const Case& of, const TeamStrategyOptions& options) {
  const std::clock_t begin = std::clock();
  const TeamPlan plan = choose_teams(of.described, options);
  const std::clock_t took = std::clock() - begin;
  const TrueRun run = run_truth(of.program, settings_of(plan));
  Outcome outcome;
  outcome.changes = plan.changes;
  outcome.saved = 1 - run.joules / of.reference.joules;
  outcome.longer = run.seconds / of.reference.seconds - 1;
  outcome.above_static = run.seconds / of.static_seconds - 1;
  outcome.switches = run.switches / of.program.group_passes.front();
  outcome.off_time = plan.after.time.value / run.seconds - 1;
  outcome.off_energy = plan.after.energy.value / run.joules - 1;
  outcome.reason = plan.reason;
  outcome.choosing_ms = 1e3 * static_cast<double>(took) / CLOCKS_PER_SEC;
  return outcome;
}

Outcome outcome_without_positions(const Case& of, const TeamStrategyOptions& options) {
  const TeamProgram merged = without_positions(of.described);
  const TeamPlan plan = choose_teams(merged, options);
  const TrueRun run = run_truth(
      of.program, settings_of(of.described, at_all_positions(of.described, merged, plan)));
  Outcome outcome;
  outcome.changes = plan.changes;
  outcome.saved = 1 - run.joules / of.reference.joules;
  outcome.longer = run.seconds / of.reference.seconds - 1;
  outcome.above_static = run.seconds / of.static_seconds - 1;
  outcome.switches = run.switches / of.program.group_passes.front();
  outcome.reason = plan.reason;
  return outcome;
}

TeamStrategyOptions exact_options(TeamStrategy strategy) {
  TeamStrategyOptions options;
  options.strategy = strategy;
  options.slack_tolerance = 0;
  return options;
}

}  // namespace huddle::hybrid
