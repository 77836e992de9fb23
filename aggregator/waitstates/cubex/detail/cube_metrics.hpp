#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/waitstates/criticalpath/run_study.hpp"
#include "aggregator/waitstates/cubex/detail/cube_trees.hpp"
#include "aggregator/waitstates/replay/wait_report.hpp"

namespace huddle {

/// What a Cube file has a value of for each call path (without the paths below it) and location. As
/// Cube wants it, a metric's value includes those of the metrics below it.
struct CubeMetric {
  /// Call path of the report (CallPath::kRoot: no known region), location and value.
  using Add = std::function<void(std::uint32_t path, std::uint32_t location, double value)>;
  /// May be called any number of times; values of the same cell add up.
  using Values = std::function<void(const Add& add)>;

  std::string name;                ///< for programs; no two are alike
  std::string title;               ///< for people
  std::string unit;                ///< "sec", "occ" or "J"
  std::string explanation;         ///< a sentence or more
  std::optional<int> parent = {};  ///< an index of the metrics, below its own
  bool whole = false;              ///< counts, exact up to 2^53
  Values values = {};
};

/// Time, MPI, visits, wait states and their energy by pattern, and what the study has. The metrics
/// view the report and the study.
std::vector<CubeMetric> cube_metrics(const WaitReport& report, const RunStudy& study);

/// Values by node of the call tree, for each place of the system tree; nodes with zeros only are
/// left out, but the root if nothing else is left: readers want one. Throws Error if the report's
/// entries name what it does not have.
using CubeCells = std::map<std::uint32_t, std::vector<double>>;
CubeCells cube_cells(const WaitReport& report, const CubeCallTree& calls,
                     const CubeSystemTree& system, const CubeMetric& metric);

}  // namespace huddle
