#include "aggregator/waitstates/criticalpath/slack.hpp"

#include <algorithm>

#include "aggregator/waitstates/criticalpath/path_sums.hpp"
#include "aggregator/waitstates/criticalpath/rank_stretches.hpp"
#include "aggregator/waitstates/criticalpath/replay.hpp"
#include "aggregator/waitstates/criticalpath/slack_pass.hpp"

namespace huddle {
namespace {

struct Sums {
  std::uint64_t computation = 0;
  std::uint64_t critical = 0;
  std::uint64_t largest_total = 0;
  std::uint64_t apportioned = 0;
};

void add_path_slacks(const ActivityLog& log, const Replay& unchanged, SlackReport& report) {
  const SlackPass pass(log, unchanged);
  PathSums<Sums> sums;
  for (std::uint32_t rank = 0; rank < log.ranks(); ++rank)
    for (std::uint64_t i = log.first_of(rank); i <= log.first_of(rank + 1); ++i) {
      const std::uint64_t computation = log.computation_before(rank, i);
      if (computation == 0) continue;
      const std::uint64_t total = pass.total(rank, i);
      Sums& here = sums.at(log.path_before(rank, i), rank);
      here.computation += computation;
      if (total == 0) here.critical += computation;
      here.largest_total = std::max(here.largest_total, total);
      here.apportioned += pass.apportioned(rank, i);
    }
  sums.each([&](std::uint32_t path, std::uint32_t rank, const Sums& here) {
    report.call_paths.push_back(
        {path, rank, here.computation, here.critical, here.largest_total, here.apportioned});
  });
}

// What each rank computed, and was in MPI without waiting.
class RankTimes final : public ReplayListener {
 public:
  explicit RankTimes(std::uint32_t ranks) : computation(ranks), in_mpi(ranks) {}
  void computed(std::uint32_t rank, std::uint64_t, std::uint64_t ticks) override {
    computation[rank] += ticks;
  }
  void communicated(std::uint32_t rank, std::uint64_t, std::uint64_t,
                    std::uint64_t transfer) override {
    in_mpi[rank] += transfer;
  }
  std::vector<std::uint64_t> computation;
  std::vector<std::uint64_t> in_mpi;
};

}  // namespace

SlackReport slack_of(const ActivityLog& log, const SlackOptions& options) {
  SlackReport report;
  RankTimes times(log.ranks());
  {
    const Replay unchanged(log, MeasuredTimes(), &times);
    report.run_time = unchanged.run_time();
    add_path_slacks(log, unchanged, report);
  }
  const std::vector<double> stretches =
      rank_stretches(log, times.computation, times.in_mpi, options, report.stretched_run_time);
  for (std::uint32_t rank = 0; rank < log.ranks(); ++rank)
    report.ranks.push_back({times.computation[rank], stretches[rank]});
  return report;
}

}  // namespace huddle
