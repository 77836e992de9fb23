#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/forecast/laws/configuration.hpp"
#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

/// How rows were held out. Random rows of the same runs leak what a forecast for a new size would
/// not know; only the other two show how good that is.
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
  ColumnRole target = ColumnRole::energy;  ///< energy or time
  /// The factor whose whole values were held out: "size"; "processes", "threads" or "frequency" if
  /// the rows have fewer than three sizes. What is called size in `results` and `by_size` is that.
  std::string factor = "size";
  std::vector<ValidationResult> results;
  std::vector<SizeError> by_size;
  /// Rows held out by sizes, of the model that did best there: first those between, then those
  /// beyond; for plots.
  std::vector<PredictedRow> rows;
  /// One sentence each, for people: what could not be validated, and why ("all rows have size
  /// 4096").
  std::vector<std::string> remarks;
};

/// Measures how well models predict rows, whole sizes between others, and sizes beyond the largest.
/// `target`: energy or time. `threads` 0: one for each processor. Throws Error if the target was
/// not measured.
Validation validate(const MeasurementTable& rows, ColumnRole target, std::uint64_t seed,
                    std::uint32_t threads);

}  // namespace huddle
