#include "aggregator/waitstates/criticalpath/slack.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "aggregator/waitstates/criticalpath/activity_log.hpp"
#include "aggregator/waitstates/criticalpath/detail/log_replay.hpp"
#include "aggregator/waitstates/criticalpath/detail/path_walk.hpp"
#include "aggregator/waitstates/criticalpath/detail/slack_pass.hpp"

namespace huddle::waitstates {
namespace {

/// For each rank the factor that all of its computation may take longer by. `computation` and
/// `in_mpi`: ticks by rank, in_mpi without waiting. Also sets `stretched_run_time`, of a replay
/// with all ranks stretched. Throws SystemError.
std::vector<double> rank_stretches(const ActivityLog& log,
                                   const std::vector<std::uint64_t>& computation,
                                   const std::vector<std::uint64_t>& in_mpi,
                                   const SlackOptions& options, std::uint64_t& stretched_run_time);

// What of a replay's critical path is computation, by rank.
class ComputationOnPath {
 public:
  explicit ComputationOnPath(std::uint32_t ranks) : ticks_(ranks) {}
  void computation(std::uint32_t rank, std::uint64_t, std::uint64_t ticks) {
    ticks_[rank] += static_cast<double>(ticks);
  }
  void mpi(std::uint32_t, std::uint64_t, std::uint64_t) {}
  void before_begin(std::uint32_t, std::uint64_t) {}
  void on(std::uint32_t, std::uint64_t, std::uint64_t) {}
  void jump() {}
  [[nodiscard]] const std::vector<double>& ticks() const { return ticks_; }

 private:
  std::vector<double> ticks_;  // stretched
};

// A rank on the critical path: what it grew by there, and which share that is of all its growth.
struct Growth {
  std::uint32_t rank;
  double ticks;
  double share;
};

std::vector<Growth> growth_on_path(const ActivityLog& log, const Replay& replay,
                                   const std::vector<std::uint64_t>& computation,
                                   const std::vector<double>& stretches) {
  ComputationOnPath path(log.ranks());
  walk_critical_path(log, replay, path);
  std::vector<Growth> found;
  for (std::uint32_t rank = 0; rank < log.ranks(); ++rank) {
    const double all = static_cast<double>(computation[rank]) * (stretches[rank] - 1);
    const double here = path.ticks()[rank] * (1 - 1 / stretches[rank]);
    if (all > 0 && here > 0) found.push_back({rank, here, std::min(here / all, 1.0)});
  }
  return found;
}

// Takes as much growth from the ranks on the path as makes it shorter by `excess`, the more from a
// rank the more of its growth is critical: growth off the path may stay.
void shrink(std::vector<double>& stretches, const std::vector<Growth>& path, double excess) {
  const auto taken = [&](double severity) {
    double sum = 0;
    for (const Growth& growth : path) sum += growth.ticks * std::min(severity * growth.share, 1.0);
    return sum;
  };
  double least = 0;
  double most = 1;
  while (taken(most) < excess && most < 1e9) most *= 2;
  for (int round = 0; round < 60; ++round) {
    const double middle = (least + most) / 2;
    (taken(middle) < excess ? least : most) = middle;
  }
  for (const Growth& growth : path) {
    double& stretch = stretches[growth.rank];
    stretch = 1 + (stretch - 1) * (1 - std::min(most * growth.share, 1.0));
  }
}

// The factors if each rank computed all the time that it waits.
std::vector<double> most_stretches(std::uint64_t run_time,
                                   const std::vector<std::uint64_t>& computation,
                                   const std::vector<std::uint64_t>& in_mpi, double most) {
  std::vector<double> stretches;
  for (std::size_t rank = 0; rank < computation.size(); ++rank) {
    const double room = static_cast<double>(run_time) - static_cast<double>(in_mpi[rank]);
    const double load = static_cast<double>(computation[rank]);
    stretches.push_back(load > 0 ? std::clamp(room / load, 1.0, most) : most);
  }
  return stretches;
}

std::vector<double> rank_stretches(const ActivityLog& log,
                                   const std::vector<std::uint64_t>& computation,
                                   const std::vector<std::uint64_t>& in_mpi,
                                   const SlackOptions& options, std::uint64_t& stretched_run_time) {
  std::vector<double> stretches =
      most_stretches(log.run_time(), computation, in_mpi, options.most_stretch);
  const auto allowed = static_cast<double>(log.run_time()) * (1 + options.most_added);
  // A little less than allowed, so that the last steps are not endless small ones.
  const double aim = static_cast<double>(log.run_time()) * (1 + options.most_added / 2);
  for (unsigned round = 0; round < options.rounds; ++round) {
    const Replay replay(log, RankStretches(stretches));
    stretched_run_time = replay.run_time();
    const auto time = static_cast<double>(replay.run_time());
    if (time <= allowed) return stretches;
    const std::vector<Growth> path = growth_on_path(log, replay, computation, stretches);
    if (path.empty()) break;
    shrink(stretches, path, time - aim);
  }
  for (double share = 0.5; share > 0.01; share /= 2) {
    for (double& stretch : stretches) stretch = 1 + (stretch - 1) * share;
    stretched_run_time = Replay(log, RankStretches(stretches)).run_time();
    if (static_cast<double>(stretched_run_time) <= allowed) return stretches;
  }
  stretched_run_time = log.run_time();
  return std::vector<double>(log.ranks(), 1.0);
}

struct Sums {
  std::uint64_t computation = 0;
  std::uint64_t critical = 0;
  std::uint64_t largest_total = 0;
  std::uint64_t apportioned = 0;
};

// What the pieces of computation before a call may grow by together, in proportion to how long each
// is: whole ticks, and nothing is lost.
class Apportioned {
 public:
  Apportioned() = default;
  Apportioned(std::uint64_t slack, std::uint64_t computation)
      : slack_(slack), computation_(computation) {}
  std::uint64_t of_next(std::uint64_t computation) {
    if (computation_ == 0) return 0;
    const double share = static_cast<double>(computation) / static_cast<double>(computation_);
    const std::uint64_t its =
        computation >= computation_
            ? slack_
            : std::min(slack_, static_cast<std::uint64_t>(static_cast<double>(slack_) * share));
    slack_ -= its;
    computation_ -= computation;
    return its;
  }

 private:
  std::uint64_t slack_ = 0;
  std::uint64_t computation_ = 0;
};

void add_path_slacks(const ActivityLog& log, const Replay& unchanged, SlackReport& report) {
  const SlackPass pass(log, unchanged);
  PathSums<Sums> sums;
  for (std::uint32_t rank = 0; rank < log.ranks(); ++rank) {
    const std::uint64_t end = log.first_of(rank + 1);
    std::uint64_t next_call = log.first_of(rank);
    Apportioned free;
    for (std::uint64_t i = log.first_of(rank); i <= end; ++i) {
      keep_mapped_files_small();
      if (i >= next_call) {
        std::uint64_t all = 0;
        for (next_call = i; next_call < end && log[next_call].ends_computation(); ++next_call)
          all += log.computation_before(rank, next_call);
        all += log.computation_before(rank, next_call);
        free = Apportioned(pass.apportioned(rank, next_call), all);
        ++next_call;
      }
      const std::uint64_t computation = log.computation_before(rank, i);
      if (computation == 0) continue;
      const std::uint64_t total = pass.total(rank, i);
      Sums& here = sums.at(log.path_before(rank, i), rank);
      here.computation += computation;
      if (total == 0) here.critical += computation;
      here.largest_total = std::max(here.largest_total, total);
      here.apportioned += free.of_next(computation);
    }
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

}  // namespace huddle::waitstates
