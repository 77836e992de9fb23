#pragma once

#include <cstddef>
#include <vector>

namespace huddle::predict {

/// Rows to fit a linear function to.
struct RegressionData {
  /// A row for each sample, all of one length.
  std::vector<std::vector<double>> terms;
  /// The target of each row.
  std::vector<double> targets;
  /// The fold of each row: rows of one fold are left out together.
  std::vector<std::size_t> folds;
};

/// target = constant + sum of coefficient x term.
struct LinearFit {
  std::vector<double> coefficients;
  double constant = 0;
  /// Strength of the ridge penalty, on standardised terms, for each row; 0 is ordinary least
  /// squares.
  double strength = 0;
  /// Root mean square of the errors on rows whose fold was left out; NaN with one fold.
  double left_out_error = 0;

  [[nodiscard]] double at(const std::vector<double>& terms) const;

  friend bool operator==(const LinearFit&, const LinearFit&) = default;
};

/// Multivariate linear regression with a constant. The ridge's strength is the one of a few that
/// errs least on folds left out; ordinary least squares is among them where there are more rows
/// than coefficients. Terms that do not vary get the coefficient 0. With one fold, a middling
/// strength is taken. Throws UsageError without rows.
LinearFit fit_linear(const RegressionData& data);

/// The same with a given strength, 0 or more.
LinearFit fit_linear(const RegressionData& data, double strength);

/// Pearson's correlation; 0 if either does not vary. Both of one length.
double correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace huddle::predict
