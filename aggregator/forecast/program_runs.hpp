#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "aggregator/forecast/laws/configuration.hpp"
#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle::forecast {

/// Time and energy of a program's runs.
struct ProgramRuns {
  /// Indexed by run.
  std::vector<Configuration> where;
  /// Indexed by run, above 0; empty if it was not measured.
  std::vector<double> time_s;
  std::vector<double> energy_j;
  /// The configurations that were measured, ordered by size, processes, threads, frequency; and by
  /// configuration the rows that were added up.
  std::vector<Configuration> configurations;
  std::vector<std::size_t> rows;
  /// For people: what was left out, and why.
  std::vector<std::string> remarks;
};

/// Adds up regions, those inside of others (nested_regions.hpp) not. The j-th rows of the regions
/// of a configuration belong together where each region has as many; otherwise the medians are
/// added up, which makes one run of them. Configurations that lack regions which take 1 % or more
/// elsewhere are left out: they would seem cheaper than they are. Throws Error, with what to do, if
/// nothing is left.
ProgramRuns runs_of(const MeasurementTable& table);

/// The configuration of each row; 1 for factors without a column. Without a column of nodes, their
/// number follows from the processes and those on each node where there is a column of that.
std::vector<Configuration> configurations_of(const MeasurementTable& table);

}  // namespace huddle::forecast
