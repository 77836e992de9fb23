#pragma once

#include "aggregator/hybrid/detail/team_search.hpp"
#include "aggregator/hybrid/team_strategy.hpp"

namespace huddle::hybrid::teams {

/// The same configuration for all regions whose menus have it, the reference for the others.
hybrid::TeamChoice uniform_choice(const Model& model,
                                  const hybrid::TeamConfiguration& configuration);

/// best_static_mapping() of a program that is resolved.
hybrid::TeamChoice best_static(const Model& model);

/// Energy of an option over the run, its rank's share of the idle node included.
double alone(const Model& model, std::size_t rank, std::size_t group, std::size_t region,
             std::size_t option, hybrid::TeamObjective objective);

/// TeamStrategy::kStatic and kOnePhase.
hybrid::TeamChoice static_choice(const Model& model, hybrid::TeamObjective objective);
hybrid::TeamChoice one_phase_choice(const Model& model, hybrid::TeamObjective objective);

/// The improved one phase approach as published: for each rank and group the one set of cores that
/// draws least, at the highest clock, of those with which the rank arrives no later than the
/// critical one does in `critical`; then clocks by slack and knapsack.
hybrid::TeamChoice coordinated_choice(const Model& model, const hybrid::TeamChoice& critical,
                                      const hybrid::TeamStrategyOptions& options);

/// For each rank and group what draws least of all options with which the rank arrives by
/// `lengths`[group], switching left out: the knapsack over cores and clocks at once.
hybrid::TeamChoice deadline_choice(const Model& model, const std::vector<double>& lengths,
                                   const hybrid::TeamStrategyOptions& options);

/// plan.rows for plan.choice, with a sentence each. plan.before, after and changes are known.
void explain(const Model& model, const hybrid::TeamStrategyOptions& options,
             hybrid::TeamPlan& plan);

}  // namespace huddle::hybrid::teams
