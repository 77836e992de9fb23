#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "aggregator/forecast/forecast_report.hpp"
#include "aggregator/forecast/laws/factors.hpp"
#include "aggregator/forecast/table/measurement_table.hpp"

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

  [[nodiscard]] std::size_t size() const { return value.size(); }
};

/// Chooses rows. `remarks` gets a sentence for each reason why some are left out. Throws Error if
/// the target was not measured.
ValidationRows validation_rows(const MeasurementTable& table, Target target, std::uint64_t seed,
                               std::vector<std::string>& remarks);

/// Rows that are held out together, and those that are learnt from instead.
struct Split {
  HeldOut held_out = HeldOut::rows;
  std::vector<std::uint32_t> training;
  std::vector<std::uint32_t> test;
};

/// All ways to hold out rows that the rows allow: a random fifth of the rows; whole values of
/// `factor` between others, a few of them at a time; its largest values. Rows of a region that is
/// not learnt from are not held out.
std::vector<Split> splits_of(const ValidationRows& rows, std::size_t factor, std::uint64_t seed);

}  // namespace huddle
