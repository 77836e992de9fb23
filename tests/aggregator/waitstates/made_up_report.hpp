#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/waitstates/replay/wait_report.hpp"

namespace huddle::waitstates {

/// Makes reports without a trace.
class ReportMaker {
 public:
  /// Goes on with a report.
  explicit ReportMaker(WaitReport report) : report_(std::move(report)) {}
  /// In nanoseconds; `nodes` have as many ranks each, or one more.
  ReportMaker(std::uint32_t ranks, std::uint32_t nodes, std::uint64_t duration);

  /// Returns its number. Parents first, as in reports.
  std::uint32_t path(std::uint32_t parent, std::string region, bool mpi = false);
  void time(std::uint32_t path, std::uint32_t location, std::uint64_t visits, std::uint64_t ticks);
  /// `count` wait states of `ticks` each.
  void waits(WaitPattern pattern, std::uint32_t path, std::uint32_t location, std::uint64_t count,
             std::uint64_t ticks);
  /// Another thread of a rank; returns its location.
  std::uint32_t thread(std::uint32_t rank, std::uint32_t number);
  /// MPI from `begin` to `end` on a location, and of it waiting from `begin` on.
  void draw(std::uint32_t location, std::uint64_t begin, std::uint64_t end, WaitPattern pattern,
            std::uint64_t waiting);

  /// The report, its lists sorted.
  WaitReport finish();
  WaitReport& report() { return report_; }

  static constexpr std::size_t kBins = 100;

 private:
  WaitReport report_;
};

/// 4 ranks on 2 nodes for 2 s, on the Opteron of the paper: rank 0 comes late to everything.
/// Numbers that can be checked by hand.
WaitReport small_report();

/// As many as there are: each rank waits for its neighbours and at a barrier.
WaitReport large_report(std::uint32_t ranks, std::uint32_t paths);

}  // namespace huddle::waitstates
