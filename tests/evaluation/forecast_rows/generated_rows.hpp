#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/forecast/table/measurement_table.hpp"
#include "tests/evaluation/forecast_rows/program_laws.hpp"

namespace huddle::evaluation {

/// The difference of measurements from the law: deviations of factors around 1, unless it says
/// otherwise. None was chosen by what a forecast makes of it: each is what is usually said of such
/// machines.
struct MeasurementNoise {
  double run = 0.02;         ///< time of a run: what else the system does
  double run_watts = 0.03;   ///< power of a run: temperature, and RAPL's model of the load
  double node_watts = 0.02;  ///< power of a node, the same in all runs: no two chips are alike
  double row_watts = 0.01;   ///< energy that a thread reads
  double meter_update_s =
      1e-3;  ///< RAPL renews its counters so often: each reading is up to that old
  double instructions = 0.005;
  double simd = 0.01;
  double lines = 0.03;
  double misses = 0.06;
  double stalls = 0.05;
  double slow_runs = 0.004;    ///< share of runs that something disturbs, by 40 % on average
  double slow_threads = 2e-4;  ///< share of threads that lose their core for a while
  double odd_energies = 1e-4;  ///< share of rows with half or twice the energy
};

/// Measured rows of a program: a row for each thread of 4 processes x 1, 2, 4, ... 32 threads, at
/// each problem size: 252 rows a size, as in the paper's Table I.
struct GeneratedRows {
  forecast::MeasurementTable table;
  /// The energy that the law expects of each row's configuration, without noise. Who knows the law
  /// and nothing of a run can't do better.
  std::vector<double> by_law;
  /// The energy that a meter without noise would have shown in that row. No forecast can do better
  /// than this, whatever it knows: it is the ceiling.
  std::vector<double> without_meter;
};

/// `each_nth_size`: 1 for all. The same numbers for the same seed, everywhere.
GeneratedRows generated_rows(const ProgramLaw& law, const MeasurementNoise& noise,
                             std::uint64_t seed, std::uint32_t each_nth_size = 1);

}  // namespace huddle::evaluation
