#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "aggregator/waitstates/replay/wait_report.hpp"

namespace huddle::waitstates {

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

/// A quantity in two runs.
struct RunChange {
  double before = 0;
  double after = 0;

  [[nodiscard]] double difference() const { return after - before; }
};

/// Differences of a run from another one. How much runs differ by chance is not known from two.
struct RunComparison {
  struct PathChange {
    ComparedTrace::Path path;
    RunChange time;
    RunChange waiting;
    RunChange energy;
    RunChange visits;
  };
  struct Run {
    std::string trace;
    std::uint32_t ranks = 0;
  };

  Run before;
  Run after;
  RunChange run_time;
  RunChange time;
  RunChange mpi;
  RunChange waiting;
  RunChange energy;
  std::array<RunChange, kWaitPatterns> by_pattern;
  /// Those that differ most in time first, among equals in waiting.
  std::vector<PathChange> paths;
};

/// A path that a run does not have counts there as 0.
RunComparison comparison_of(const ComparedTrace& before, const ComparedTrace& after);

/// For people.
std::string comparison_text(const RunComparison& comparison);
/// For programs: docs/formats/waitstates.md.
std::string comparison_json(const RunComparison& comparison);

}  // namespace huddle::waitstates
