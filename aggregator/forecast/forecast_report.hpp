#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/forecast/outermost_regions.hpp"
#include "aggregator/forecast/laws/scaling_law.hpp"
#include "aggregator/forecast/table/measurement_csv.hpp"
#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

/// What is predicted: ColumnRole::energy (J) or ColumnRole::time (s).
using Target = ColumnRole;

/// How much a variable tells about the target.
struct VariableImportance {
  std::string variable;
  /// See Forest::permutation_importance().
  double importance = 0;
  /// Whether the method went on with it.
  bool kept = false;
};

/// One of the six samplings of the published method.
struct SamplingResult {
  /// "1/2000".
  std::string name;
  std::uint32_t one_in = 1;
  std::size_t training_rows = 0;
  std::size_t test_rows = 0;
  /// Whether there were rows enough to learn from; if not, all numbers below are NaN.
  bool possible = true;
  /// Of the test rows, of 1: forest and linear regression. Can be below 0.
  double r2 = 0;
  double linear_r2 = 0;
  /// Growing and predicting, in s.
  double seconds = 0;
  double linear_seconds = 0;
  /// Equation (1): R^2 in percent over `seconds`.
  double selection = 0;
  /// R^2 of cross-validation among the training rows alone, of 1: what can be known without the
  /// test rows. Of five parts, each predicted by the other four; with many rows, of each row
  /// predicted by the trees that did not see it.
  double cross_validated_r2 = 0;
  /// The share of test rows inside of their 90 % interval, of 1.
  double coverage = 0;
};

/// A row that was predicted without having been seen, for plots.
struct PredictedRow {
  std::uint32_t region = 0;
  Configuration where;
  double measured = 0;
  Estimate predicted;
};

/// The published method for one target (S. Benedict et al., TOEP, section III).
struct MethodStudy {
  Target target = Target::energy;
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
  /// Test rows of the elected sampling, a few thousand at most, spread evenly.
  std::vector<PredictedRow> rows;
  /// One sentence each, for people: columns that vary and yet are no variables, and why.
  std::vector<std::string> remarks;
};

/// How rows were held out. Random rows of the same runs leak what a forecast for a new size would
/// not know; only the other two tell how well that goes.
enum class HeldOut : std::uint8_t { rows, sizes_between, sizes_beyond };

/// How well one model predicted what was held out one way.
struct ValidationResult {
  HeldOut held_out = HeldOut::rows;
  /// "forest", "linear regression", "scaling law", "scaling law x forest".
  std::string model;
  std::size_t rows = 0;
  double r2 = 0;            ///< of 1; NaN if the rows share region and configuration
  double median_error = 0;  ///< relative, of 1
  double coverage = 0;      ///< of 90 % intervals, of 1; NaN for a model without
};

/// Error of one problem size while it was held out.
struct SizeError {
  HeldOut held_out = HeldOut::sizes_between;
  std::string model;
  double size = 0;
  std::size_t rows = 0;
  double median_error = 0;  ///< relative, of 1
};

struct Validation {
  Target target = Target::energy;
  /// The factor whose whole values were held out: "size"; "processes", "threads" or "frequency" if
  /// the rows have fewer than three sizes. What is called size in `results` and `by_size` is that.
  std::string factor = "size";
  std::vector<ValidationResult> results;
  std::vector<SizeError> by_size;
  /// Rows held out by sizes, of the model that did best there: first those between, then those
  /// beyond; for plots.
  std::vector<PredictedRow> rows;
  /// One sentence each, for people: what can't be validated and why ("all rows have size 4096").
  std::vector<std::string> remarks;
};

/// Rows that screening took out.
struct Screening {
  std::vector<LeftOutRows> left_out;
  std::size_t kept = 0;
  /// Of the table's regions, before small ones were taken out.
  OutermostRegions nesting;
  std::vector<std::string> remarks;
};

/// All that huddle forecast tells.
struct ForecastReport {
  std::vector<std::string> files;
  MeasurementReading reading;
  Screening screening;
  std::vector<std::string> regions;
  std::size_t sizes = 0;                ///< different problem sizes
  std::size_t configurations = 0;       ///< different processes x threads x frequency
  std::vector<MethodStudy> studies;     ///< energy, time: those that are there
  std::vector<Validation> validations;  ///< the same
  /// One sentence each, for people: what could not be told, and why ("48 rows are too few ...").
  std::vector<std::string> remarks;
};

}  // namespace huddle
