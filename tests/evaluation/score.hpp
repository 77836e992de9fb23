#pragma once

#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/evaluation/huddle_command.hpp"
#include "tests/evaluation/truth.hpp"

namespace huddle::evaluation {

/// The truths by the pattern's name.
using Truths = std::map<std::string, Truth>;

/// The slowdown that a choice may have.
inline constexpr double kBound = 0.05;

/// A pattern as it was foreseen and as it truly is.
struct PatternScore {
  std::string pattern;
  bool sampled = false;
  Prediction predicted;
  Truth truth;
};

/// The judgement of one recommendation.
struct Score {
  std::vector<PatternScore> patterns;
  std::string chosen;
  /// The share of the patterns that were not sampled whose true time lies in its interval; NaN if
  /// huddle gave none.
  double covered = std::numeric_limits<double>::quiet_NaN();
  /// Relative errors on the patterns that were not sampled.
  std::vector<double> computation_errors;
  std::vector<double> time_errors;
  /// Empty if huddle does not predict energy.
  std::vector<double> energy_errors;
  /// Kendall's tau-b of predicted and true times of all patterns.
  double rank_correlation = 0;
  /// True slowdown of the chosen pattern against the reference.
  double slowdown = 0;
  /// Energy over the least energy within the bound, minus 1; below 0 if the bound is broken.
  double regret = 0;
  /// Within the bound, and the best or within 2 % of its energy.
  bool good = false;
  /// Energy of the reference that is saved, by the chosen pattern and by the truly best one.
  double saved = 0;
  double could_save = 0;
  /// True slowdown of the second measured run against the first one; NaN if there was none.
  double second_slowdown = std::numeric_limits<double>::quiet_NaN();
};

/// `samples`: the patterns that were measured. A recommendation without a choice counts as the
/// reference.
Score score_of(const Answer& answer, const Truths& truths, const std::set<std::string>& samples);

/// Kendall's tau-b of equally long lists; 0 if either has one value only.
double kendall(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace huddle::evaluation
