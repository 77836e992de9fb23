#pragma once

#include <functional>
#include <string>
#include <vector>

#include "aggregator/forecast/laws/configuration.hpp"
#include "tests/evaluation/noise.hpp"

namespace huddle::evaluation {

/// The time of a program in seconds, without noise.
using TimeLaw = std::function<double(const forecast::Configuration&)>;

/// Programs whose time grows in the same way, and that differ by their constants.
struct ProgramKind {
  std::string name;
  /// The factor whose values are few, and beyond which forecasts are asked for.
  std::size_t factor = forecast::kSize;
  /// Measured numbers of threads, with each size; {1} for programs of one factor.
  std::vector<double> threads = {1};
  /// One of the programs, by lot.
  std::function<TimeLaw(Noise& lot)> drawn;
};

/// Kinds that are often met: powers, fixed costs, sums of computation and communication, limits of
/// what cores can share, iterations that are dealt out whole.
const std::vector<ProgramKind>& program_kinds();

}  // namespace huddle::evaluation
