#pragma once

// The published method of predicting time and energy (TOEP): sampled rows, random forests and
// linear regression, and the choice among them.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle::forecast {

/// Importance of a variable for the target.
struct VariableImportance {
  std::string variable;
  /// See Forest::permutation_importance().
  double importance = 0;
  /// True if the method keeps it.
  bool kept = false;
};

/// One of the six samplings of the published method.
struct SamplingResult {
  /// "1/2000".
  std::string name;
  std::uint32_t one_in = 1;
  std::size_t training_rows = 0;
  std::size_t test_rows = 0;
  /// True if there were rows enough to learn from; if not, all numbers below are NaN.
  bool possible = true;
  /// R^2 of the test rows, of 1: forest and linear regression. Can be below 0.
  double r2 = 0;
  double linear_r2 = 0;
  /// Growing and predicting, in s.
  double seconds = 0;
  double linear_seconds = 0;
  /// Equation (1): R^2 in percent over `seconds`.
  double selection = 0;
  /// R^2 of cross-validation among the training rows alone, of 1: all that is known without the
  /// test rows. Of five parts, each predicted by the other four; with many rows, of each row
  /// predicted by the trees that did not see it.
  double cross_validated_r2 = 0;
};

/// The published method for one target (S. Benedict et al., TOEP, section III).
struct MethodStudy {
  ColumnRole target = ColumnRole::energy;      ///< energy or time
  std::vector<VariableImportance> importance;  ///< most important first
  /// With all variables and with those kept (the paper's methods 1 and 2), both learnt from the
  /// sampling 1/10; from the largest if that is not possible.
  double all_variables_r2 = 0;
  double kept_variables_r2 = 0;
  std::size_t compared = 0;               ///< index of that sampling
  std::vector<SamplingResult> samplings;  ///< six, fewest rows first
  /// Index of the sampling elected by Selection, the published way: the largest of those above 0;
  /// with none, the possible one with the most rows.
  std::size_t elected = 0;
  /// Index of the one with the fewest rows whose cross-validated R^2 reaches `asked_r2`, which does
  /// not depend on the machine's speed; none if none does.
  std::optional<std::size_t> fewest;
  double asked_r2 = 0;
  double seconds = 0;  ///< of the whole
  /// One sentence each, for people: columns that vary and yet are no variables, and why.
  std::vector<std::string> remarks;
};

struct MethodSettings {
  std::uint32_t trees = 100;
  /// Number of variables that the method keeps; the paper keeps three. At least 1.
  std::uint32_t variables = 3;
  /// Names of the variables to keep instead, as experts chose them for the paper; the target is
  /// passed over.
  std::vector<std::string> keep;
  /// See MethodStudy::fewest.
  double asked_r2 = 0.95;
  std::uint64_t seed = 1;
  std::uint32_t threads = 0;
  /// Called now and then with the share of the work that is done, of 1.
  std::function<void(double done)> progress;
};

/// The published method (TOEP, section III and equation (1)): rows by decreasing target, variables
/// by importance, six equidistant samplings (1/2000 to 1/3), forest and linear regression on each,
/// the best Selection. When energy is predicted, time is one of the variables, and the other way
/// round, as in the paper. Throws Error if there are too few rows, or nothing to predict;
/// UsageError if `keep` has a name that is none of the variables.
MethodStudy study_published_method(const MeasurementTable& rows, ColumnRole target,
                                   const MethodSettings& settings);

}  // namespace huddle::forecast
