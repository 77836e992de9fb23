#pragma once

// The rows that validation works with, and the models that are trained on one part of them and
// tried on the other.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/forecast/laws/configuration.hpp"
#include "aggregator/forecast/table/measurement_table.hpp"
#include "aggregator/forecast/validation/validation.hpp"

namespace huddle {

/// Rows to validate with: at most some ten thousands, of the regions that matter most.
struct ValidationRows {
  std::vector<Configuration> where;
  std::vector<std::uint32_t> region;
  /// Above 0.
  std::vector<double> value;
  /// How many regions `region` counts; some may have no row.
  std::size_t regions = 0;
  /// The different values of each factor, ascending.
  std::array<std::vector<double>, kFactors> levels;

  /// How many of the factors, in their order, models know: nodes and packages where one varies.
  [[nodiscard]] std::size_t factors() const {
    return levels[kNodes].size() > 1 || levels[kPackages].size() > 1 ? kFactors : kNodes;
  }

  [[nodiscard]] std::size_t size() const { return value.size(); }
};

/// Chooses rows. `remarks` gets a sentence for each reason why some are left out. Throws Error if
/// the target was not measured.
ValidationRows validation_rows(const MeasurementTable& table, ColumnRole target, std::uint64_t seed,
                               std::vector<std::string>& remarks);

/// Rows that are held out together, and those that models are fitted to instead.
struct Split {
  HeldOut held_out = HeldOut::rows;
  std::vector<std::uint32_t> training;
  std::vector<std::uint32_t> test;
};

/// All ways to hold out rows that the rows allow: a random fifth of the rows; whole values of
/// `factor` between others, a few of them at a time; its largest values. Rows of a region that
/// would be left without training rows are not held out.
std::vector<Split> splits_of(const ValidationRows& rows, std::size_t factor, std::uint64_t seed);

/// What a model predicts of a split's test rows, in their order.
struct Predicted {
  /// As in ValidationResult.
  std::string model;
  /// Intervals of 90 %; NaN for a model without.
  std::vector<Estimate> values;
};

/// All models, learnt from the split's training rows: "forest", "linear regression", "scaling law",
/// "scaling law x forest". They know the region and the four factors, and nothing that only a run
/// shows. `factor`: the one whose values are held out, if they are.
std::vector<Predicted> predict(const ValidationRows& rows, const Split& split, std::size_t factor,
                               std::uint64_t seed);

}  // namespace huddle
