#pragma once

#include <map>
#include <string>
#include <vector>

#include "aggregator/forecast/outermost_regions.hpp"
#include "aggregator/forecast/program_runs.hpp"
#include "tests/aggregator/forecast/rows_of_programs.hpp"

namespace huddle {

using Names = std::vector<std::string>;

/// Programs of three regions on 1 to 8 threads: laws in s, and the power of all of them.
inline const std::vector<double> kSizes = {1e5, 2e5, 4e5, 8e5, 16e5};

inline double solve(const Configuration& at) {
  return 1e-6 * at.size * (0.03 + 0.97 / at.threads);
}
inline double exchange(const Configuration& at) {
  return 2e-7 * at.size + 1e-3 * at.threads;
}
inline double output(const Configuration& at) {
  return 1e-2 + 1e-8 * at.size;
}
inline double watts(const Configuration& at) {
  return 100 + 8 * at.threads;
}

inline Law sum_of(const std::vector<Law>& laws, double own = 0) {
  return [laws, own](const Configuration& at) {
    double sum = 0;
    for (const Law& law : laws) sum += law(at);
    return sum * (1 + own);
  };
}

inline Law times(double factor, const Law& law) {
  return [factor, law](const Configuration& at) { return factor * law(at); };
}

/// A region with its time.
struct Timed {
  std::string region;
  Law seconds;
};

/// `noise`: of a run, the same in all of its regions.
inline MeasurementTable rows_of(const std::vector<Timed>& regions, double noise = 0,
                                int repetitions = 1,
                                const std::vector<double>& threads = {1, 2, 4, 8}) {
  MeasurementTable table;
  for (const Timed& timed : regions) {
    const MeasurementTable rows =
        rows_of(generated_program(timed.seconds, kSizes, {4}, threads, noise, repetitions), watts,
                timed.region);
    if (table.columns.empty())
      table = rows;
    else
      add_region(table, rows);
  }
  return table;
}

inline void call_time(MeasurementTable& table, const std::string& name) {
  for (MeasuredColumn& column : table.columns)
    if (column.role == ColumnRole::time) column.name = name;
}

inline void set_energies(MeasurementTable& table, const std::map<std::string, Law>& joules) {
  const std::vector<Configuration> where = configurations_of(table);
  for (MeasuredColumn& column : table.columns)
    for (std::size_t row = 0; row < table.rows(); ++row)
      if (const auto law = joules.find(table.regions[table.region[row]]);
          column.role == ColumnRole::energy && law != joules.end())
        column.values[row] = law->second(where[row]);
}

/// What is passed over for times.
inline Names passed_over(const MeasurementTable& table) {
  const OutermostRegions found = outermost_regions(table);
  Names names;
  for (std::size_t region = 0; region < table.regions.size(); ++region)
    if (found.time_inside[region]) names.push_back(table.regions[region]);
  return names;
}

/// Of the configuration with the largest size on 8 threads.
inline double seconds_at_most(const MeasurementTable& table) {
  const ProgramRuns runs = runs_of(table, "");
  return runs.time_s.back();
}
inline const Configuration kMost{16e5, 4, 8, 1};

}  // namespace huddle
