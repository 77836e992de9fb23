#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "aggregator/forecast/forecast_report.hpp"
#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

/// How the variables that the method goes on with are chosen.
enum class VariableChoice : std::uint8_t {
  /// The most important one, then each time the one that helps most beside those kept already.
  together,
  /// The most important ones, as the paper's text has it: often one thing measured three times.
  importance,
};

struct MethodSettings {
  std::uint32_t trees = 100;
  /// Variables that the method goes on with; the paper keeps three. At least 1.
  std::uint32_t variables = 3;
  VariableChoice choice = VariableChoice::together;
  /// Names of the variables that it goes on with instead, as experts chose them for the paper; the
  /// target is passed over.
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
/// UsageError if `keep` names no variable.
MethodStudy study_published_method(const MeasurementTable& rows, Target target,
                                   const MethodSettings& settings);

}  // namespace huddle
