#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

// The checks that screen() makes, each by itself, and what they share.

/// By region: whether it is among those asked for, by their exact names. Throws UsageError if one
/// of these is none of the regions, with the names there are, the nearest ones first if there are
/// many.
std::vector<bool> asked_regions(const std::vector<std::string>& regions,
                                const std::vector<std::string>& asked);

struct DuplicateRows {
  /// Copies of earlier rows, ascending.
  std::vector<std::size_t> copies;
  /// Rows that are like earlier ones, but with so few digits that two runs may well have given
  /// them.
  std::size_t maybe_repeated = 0;
};

/// Finds rows with the same region and the same values as an earlier row, as of a file appended to
/// itself. Time and energy must have so many digits beyond the first two of each number, in the row
/// or in the rows that were copied with it, that two runs can't have come to them by chance.
DuplicateRows find_duplicates(const MeasurementTable& rows);

struct ImplausibleEnergy {
  /// Rows whose energy means a power that differs from that of like rows by more than a factor of
  /// 10 and by far more than theirs differ among each other; ascending.
  std::vector<std::size_t> unlike_others;
  /// Rows with more power than any node draws, for each process one; ascending.
  std::vector<std::size_t> beyond_nodes;
};

/// Compares energy over time. Like rows have the same processes, threads and frequency; how much
/// they differ is taken from rows that took about as long, since meters are read now and then only.
/// Nothing without columns of both. Precondition: times and energies are above 0.
ImplausibleEnergy find_implausible_energy(const MeasurementTable& rows);

/// A row with a counter that has overflowed, and so is too small.
struct OverflowedCounter {
  std::size_t row = 0;
  std::string column;

  friend bool operator==(const OverflowedCounter&, const OverflowedCounter&) = default;
};

/// Finds rows with a negative count, and rows whose time is as expected, but whose count (or
/// energy, as RAPL's counters wrap) is less than 60 % of what is expected by the smaller sizes, and
/// near to that with a multiple of 2^32 or 2^48 added. What is expected follows the power law
/// through the rows of the same region, processes, threads and frequency. Ascending, each row once.
std::vector<OverflowedCounter> find_overflowed(const MeasurementTable& rows);

/// The indices of all rows, by region and then by the values of these columns (those that are
/// there), in this order; equal rows in their own order.
std::vector<std::size_t> rows_in_order(const MeasurementTable& rows, bool by_region,
                                       std::initializer_list<ColumnRole> roles);

/// The runs of such an order that are equal in these columns (and in their region, if `by_region`):
/// each as the place of its first row and of the one behind its last.
std::vector<std::pair<std::size_t, std::size_t>> groups_in(const MeasurementTable& rows,
                                                           const std::vector<std::size_t>& order,
                                                           bool by_region,
                                                           std::initializer_list<ColumnRole> roles);

/// The power law of the last values of a quantity, which are added by size from small to large: a
/// straight line between logarithms.
class RunningLaw {
 public:
  /// Precondition: both above 0, and no size smaller than an earlier one.
  void add(double size, double value);
  /// Whether it can predict this size: there are values enough, and the last one is near enough.
  [[nodiscard]] bool knows(double size) const;
  /// Precondition: knows(size).
  [[nodiscard]] double at(double size) const;

 private:
  struct Point {
    double size = 0;  // logarithms
    double value = 0;
  };
  [[nodiscard]] const Point& from_last(std::size_t back) const;
  [[nodiscard]] double slope() const;

  std::array<Point, 32> points_{};
  std::size_t count_ = 0;  // of all that were added
};

}  // namespace huddle
