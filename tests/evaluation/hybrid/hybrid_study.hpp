#pragma once

// One program, all strategies, in the simulated truth.

#include <string>
#include <vector>

#include "tests/evaluation/hybrid/true_programs.hpp"

namespace huddle::hybrid {

/// The effect of a strategy on a program, in truth.
struct Outcome {
  bool changes = false;
  double saved = 0;         ///< of energy, as a share of the reference's
  double longer = 0;        ///< than the reference
  double above_static = 0;  ///< longer than the best static mapping
  double above_optimum =
      0;                ///< energy above the least possible, as a share of that; if it is known
  double switches = 0;  ///< in a pass of all groups
  double off_time = 0;  ///< predicted time over true time, minus 1
  double off_energy = 0;
  std::string reason;
  double choosing_ms = 0;  ///< of processor time
};

/// A program, and all that is known of it beside strategies.
struct Case {
  TrueProgram program;
  TeamProgram described;
  TrueRun reference;
  double static_seconds = 0;
};

Case case_of(const TrueProgram& program, const Description& described);

/// The time that the optimum may take: what the options allow a strategy.
double most_seconds(const Case& of, const TeamStrategyOptions& options);

Outcome outcome_of(const Case& of, const TeamStrategyOptions& options);

/// The effect of a strategy on a program whose regions it knows by their function only, so that a
/// function's passes all have one configuration.
Outcome outcome_without_positions(const Case& of, const TeamStrategyOptions& options);

/// The options with which times that are right are used: no tolerance is needed.
TeamStrategyOptions exact_options(TeamStrategy strategy = TeamStrategy::kImprovedOnePhase);

}  // namespace huddle::hybrid
