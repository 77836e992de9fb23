#pragma once

// Measured rows as a table, column by column.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace huddle::forecast {

/// Meaning of a column's numbers.
enum class ColumnRole : std::uint8_t {
  size,            ///< problem size, in whatever the program counts; no unit
  processes,       ///< MPI processes of the run
  threads,         ///< threads of each process, or cores used where there is one process
  frequency,       ///< of the cores, in GHz
  nodes,           ///< that the run's processes were on
  ranks_per_node,  ///< processes on the node that has most of them
  packages,        ///< used on each node, on the one that used most
  time,            ///< wall time of the row's region, in s: inclusive if there are both
  energy,          ///< of all nodes in that time, in J
  variable,  ///< anything else that was measured: counters, calls, exclusive time; unit as given
};

/// "size", "processes", ... as options, headers and JSON name it.
std::string_view name_of(ColumnRole role);

/// True if the name of a column of times or energies says that what regions inside of others take
/// is not part of it, or that it is.
bool says_exclusive(std::string_view name);
bool says_inclusive(std::string_view name);

struct MeasuredColumn {
  ColumnRole role = ColumnRole::variable;
  /// As the file's header calls it, without its unit.
  std::string name;
  /// Unit of `values`: GHz, s and J for the roles above that have a unit; else what the file
  /// says, maybe nothing.
  std::string unit;
  /// One for each row; finite.
  std::vector<double> values;

  friend bool operator==(const MeasuredColumn&, const MeasuredColumn&) = default;
};

/// Each row is one region of a program (or the program) in one run. Every column has rows() values.
/// A role other than `variable` occurs once at most.
struct MeasurementTable {
  /// The names of the regions, none twice, in the order of their first row.
  std::vector<std::string> regions;
  /// For each row an index into `regions`. A file without a column of regions has one region, "".
  std::vector<std::uint32_t> region;
  /// In a table that was read, those with a role come first, in the order of ColumnRole; the
  /// variables follow in the order of the file.
  std::vector<MeasuredColumn> columns;

  [[nodiscard]] std::size_t rows() const { return region.size(); }
  /// The column of that role; null if there is none. Precondition: not `variable`.
  [[nodiscard]] const MeasuredColumn* find(ColumnRole role) const;
  /// The column of that name (exact); null if there is none.
  [[nodiscard]] const MeasuredColumn* find(std::string_view name) const;
  /// Keeps the rows with these indices, ascending; regions without rows stay named.
  void keep(const std::vector<std::size_t>& rows);

  friend bool operator==(const MeasurementTable&, const MeasurementTable&) = default;
};

}  // namespace huddle::forecast
