#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "aggregator/forecast/laws/configuration.hpp"

namespace huddle {

/// A number predicted, with the interval that holds the true one 9 times in 10.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;

  friend bool operator==(const Estimate&, const Estimate&) = default;
};

/// What a law was chosen for: errors are those of predicting what was left out that way.
enum class LeftOut : unsigned char {
  between,  ///< values of a factor between others: interpolation
  beyond,   ///< the largest (or smallest) values of a factor: extrapolation
};

/// What a law is looked for with. The defaults are for one quantity of a program.
struct LawSettings {
  /// Forms are compared on so many configurations at most.
  std::size_t configurations = 300;
  /// Whether what the law leaves over may be followed between measured configurations.
  bool surface = true;
  /// Whose values are left out: size, processes, threads, frequency. All of them if none of these
  /// has enough values.
  std::array<bool, 4> about = {true, true, true, true};
};

/// How a positive quantity (time, energy, bytes, counts) depends on size, processes, threads and
/// frequency: one of several forms, fitted on logarithms, chosen by cross-validation over whole
/// values of the factors. Unlike a forest it can say something beyond what was measured.
/// Immutable; may be used by several threads at once.
class ScalingLaw {
 public:
  /// Fits to `values[i]`, measured at `where[i]`; repeated configurations are fine. Throws Error,
  /// with what to do, if there is nothing to fit: no row, or values that are not above 0.
  static ScalingLaw fit(std::span<const Configuration> where, std::span<const double> values,
                        LeftOut purpose);
  static ScalingLaw fit(std::span<const Configuration> where, std::span<const double> values,
                        LeftOut purpose, const LawSettings& settings);

  /// The interval is of one more measurement; it widens beyond what was measured. Throws Error if a
  /// factor that had one value in all rows has another here: nothing tells what that does.
  [[nodiscard]] Estimate at(const Configuration& where) const;
  /// The value of the formula alone, also where what was measured nearby is part of the law.
  [[nodiscard]] double smooth_at(const Configuration& where) const;
  /// The factors of `where` that are outside of what was measured: "size", "threads".
  [[nodiscard]] std::vector<std::string> beyond(const Configuration& where) const;
  /// For people: "3.1e-09 x size^1.5 / threads + 0.02 x size^1.5"; "..., and what was measured
  /// nearby" where a surface over the residuals is part of it.
  [[nodiscard]] std::string formula() const;
  /// Median relative error of what was left out as `purpose` says; NaN if too few values to leave
  /// any out.
  [[nodiscard]] double left_out_error() const;

  ScalingLaw(ScalingLaw&&) noexcept;
  ScalingLaw& operator=(ScalingLaw&&) noexcept;
  ~ScalingLaw();

 private:
  struct Fitted;
  explicit ScalingLaw(std::unique_ptr<const Fitted> fitted);
  std::unique_ptr<const Fitted> fitted_;
};

}  // namespace huddle
