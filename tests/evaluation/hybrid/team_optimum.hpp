#pragma once

// The bounds of all strategies, in the simulated truth: none can do better.

#include "tests/evaluation/hybrid/true_programs.hpp"

namespace huddle::hybrid {

/// The fastest run with one configuration for all regions of all ranks, or as the reference.
double best_static_seconds(const TrueProgram& program, const TeamProgram& described);

/// The least joules of all choices from the menus, costs of switching included, that take at most
/// this long: by trying every choice of each node and every combination of them that can still be
/// better than `known` joules, which some choice is known to take. Groups must have equal passes.
double least_joules(const TrueProgram& program, const TeamProgram& described, double most_seconds,
                    double known);

/// Joules that no choice from the menus falls below which takes at most this long: switching costs
/// nothing here. For programs with one rank on each node.
double joules_at_least(const TrueProgram& program, const TeamProgram& described,
                       double most_seconds);

}  // namespace huddle::hybrid
