#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "aggregator/waitstates/replay/wait_report.hpp"

namespace huddle::waitstates {

/// Wait states put together.
struct WaitSums {
  std::uint64_t count = 0;
  std::uint64_t ticks = 0;
  std::uint64_t longest = 0;
  WaitEnergy energy;

  void add(const PathWaits& waits);
  void add(const WaitSums& waits);
};

/// A call path, all locations together.
struct PathTotals {
  std::uint64_t visits = 0;
  std::uint64_t ticks = 0;  ///< all the time in it
  WaitSums waits;
  std::array<std::uint64_t, kWaitPatterns> by_pattern{};  ///< ticks

  void add(const PathTotals& path);
};

/// A location.
struct LocationTotals {
  std::uint64_t ticks = 0;  ///< from its first event to its last
  std::uint64_t mpi = 0;    ///< in MPI, waiting included
  WaitSums waits;
  std::array<std::uint64_t, kWaitPatterns> by_pattern{};  ///< ticks
  std::array<std::uint64_t, kWaitPatterns> counts{};
};

/// What the entries of a report add up to.
struct ReportSums {
  std::array<WaitSums, kWaitPatterns> patterns;  ///< by WaitPattern
  WaitSums waits;                                ///< all of them
  std::uint64_t ticks = 0;                       ///< all locations, from first event to last
  std::uint64_t mpi = 0;                         ///< of these, in MPI
  std::uint64_t file_access = 0;                 ///< of these, in MPI's functions for files
  /// By call path: without the paths below it, and with them.
  std::vector<PathTotals> exclusive;
  std::vector<PathTotals> inclusive;
  std::vector<LocationTotals> locations;  ///< by location
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 0;  ///< that have a name
};

/// Throws Error if the report's entries name what it does not have.
ReportSums sums_of(const WaitReport& report);

/// For each call path, whether it is MPI's or called by MPI.
std::vector<bool> paths_in_mpi(const WaitReport& report);

/// For each call path, whether it is one of MPI's functions for files, or called by one.
std::vector<bool> paths_of_files(const WaitReport& report);

/// The pattern with most of the time, the first one among equals; kWaitPatterns if there is none.
std::size_t foremost(const std::array<std::uint64_t, kWaitPatterns>& ticks);

}  // namespace huddle::waitstates
