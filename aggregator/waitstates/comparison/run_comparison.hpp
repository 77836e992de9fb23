#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/waitstates/comparison/run_change.hpp"
#include "aggregator/waitstates/replay/wait_report.hpp"

namespace huddle {

/// The figures that a comparison keeps of a traced run; times in seconds, energies in joules.
struct ComparedTrace {
  /// A call path by the names of its regions, outermost first, so that paths of several runs meet.
  struct Path {
    std::vector<std::string> regions;
    bool mpi = false;
    friend auto operator<=>(const Path&, const Path&) = default;
  };
  /// Of all ranks, without the paths below.
  struct Sums {
    double time = 0;
    double waiting = 0;
    double energy = 0;  ///< of waiting
    double visits = 0;
  };

  std::string trace;
  std::uint32_t ranks = 0;
  double run_time = 0;
  double time = 0;  ///< of all locations
  double mpi = 0;
  double waiting = 0;
  double energy = 0;
  std::array<double, kWaitPatterns> by_pattern{};  ///< waiting
  std::map<Path, Sums> paths;
};

/// Throws Error if the report's entries name what it does not have.
ComparedTrace compared_trace(const WaitReport& report);

/// How runs of one side differ from those of another.
struct RunComparison {
  struct PathChange {
    ComparedTrace::Path path;
    RunChange time;
    RunChange waiting;
    RunChange energy;
    RunChange visits;
  };
  struct Side {
    std::vector<std::string> traces;
    std::vector<std::uint32_t> ranks;
  };

  Side before;
  Side after;
  RunChange run_time;
  RunChange time;
  RunChange mpi;
  RunChange waiting;
  RunChange energy;
  std::array<RunChange, kWaitPatterns> by_pattern;
  /// Those that differ most in time first, among equals in waiting.
  std::vector<PathChange> paths;

  /// Whether it is known how much runs differ by chance.
  [[nodiscard]] bool knows_noise() const {
    return before.traces.size() > 1 || after.traces.size() > 1;
  }
};

/// A path that a run does not have counts there as 0. Precondition: at least one run on each side.
RunComparison comparison_of(const std::vector<ComparedTrace>& before,
                            const std::vector<ComparedTrace>& after);

/// For people.
std::string comparison_text(const RunComparison& comparison);
/// For programs: docs/formats/waitstates.md.
std::string comparison_json(const RunComparison& comparison);

}  // namespace huddle
