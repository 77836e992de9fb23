#pragma once

// Scaling laws: how a quantity of a program grows with the problem size, the processes, the threads
// and the frequency, fitted to measured rows.

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "aggregator/forecast/laws/configuration.hpp"
#include "aggregator/forecast/laws/left_out.hpp"

namespace huddle {

/// How a law is searched. The defaults are for one quantity of a program.
struct LawSettings {
  /// Forms are compared on so many configurations at most.
  std::size_t configurations = 300;
  /// Whether what the law leaves over may be followed between measured configurations.
  bool surface = true;
  /// The factors whose values are left out. All of them if none of these has enough values.
  std::array<bool, kFactors> about = {true, true, true, true, true, true};
};

/// How a positive quantity (time, energy, bytes, counts) depends on size, processes, threads,
/// frequency, nodes and packages: one of several forms, fitted on logarithms, chosen by
/// cross-validation over whole values of the factors. Unlike a forest it extrapolates. Immutable;
/// may be used by several threads at once.
class ScalingLaw {
 public:
  /// Fits to `values[i]`, measured at `where[i]`; repeated configurations are fine. Throws Error,
  /// with what to do, if there is nothing to fit: no row, or values that are not above 0.
  static ScalingLaw fit(std::span<const Configuration> where, std::span<const double> values,
                        LeftOut purpose, const LawSettings& settings = {});

  /// The interval is of one more measurement; it widens beyond what was measured. Throws Error if a
  /// factor that had one value in all rows has another here, whose effect is unknown.
  [[nodiscard]] Estimate at(const Configuration& where) const;
  /// The value of the formula alone, also where what was measured nearby is part of the law.
  [[nodiscard]] double smooth_at(const Configuration& where) const;

 private:
  struct Fitted;
  explicit ScalingLaw(std::shared_ptr<const Fitted> fitted) : fitted_(std::move(fitted)) {}
  std::shared_ptr<const Fitted> fitted_;
};

}  // namespace huddle
