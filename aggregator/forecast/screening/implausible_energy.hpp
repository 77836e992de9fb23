#pragma once

// Internal to screen().

#include <cstddef>
#include <vector>

#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

struct ImplausibleEnergy {
  /// Rows whose energy means a power that differs from that of like rows by more than a factor of
  /// 10 and by far more than theirs differ among each other; ascending.
  std::vector<std::size_t> unlike_others;
  /// Rows with more power than any node draws, for each process one; ascending.
  std::vector<std::size_t> beyond_nodes;
};

/// Looks at energy over time. Like rows have the same processes, threads and frequency; how much
/// they differ is taken from rows that took about as long, since meters are read now and then only.
/// Nothing without columns of both. Precondition: times and energies are above 0.
ImplausibleEnergy find_implausible_energy(const MeasurementTable& rows);

}  // namespace huddle
