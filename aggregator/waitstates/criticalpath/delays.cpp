#include "aggregator/waitstates/criticalpath/delays.hpp"

#include <algorithm>
#include <utility>

#include "aggregator/waitstates/criticalpath/detail/log_replay.hpp"
#include "aggregator/waitstates/criticalpath/detail/look_back.hpp"
#include "aggregator/waitstates/criticalpath/detail/meetings.hpp"
#include "aggregator/waitstates/criticalpath/detail/path_walk.hpp"
#include "aggregator/waitstates/criticalpath/temporary_file.hpp"

namespace huddle::waitstates {
namespace {

// Ticks by call path: a few at a time.
class PathTicks {
 public:
  double& of(std::uint32_t path) {
    for (auto& [known, ticks] : ticks_)
      if (known == path) return ticks;
    return ticks_.emplace_back(path, 0.0).second;
  }
  void clear() { ticks_.clear(); }
  [[nodiscard]] std::vector<std::pair<std::uint32_t, double>>& all() { return ticks_; }

 private:
  std::vector<std::pair<std::uint32_t, double>> ticks_;
};

class DelayPass {
 public:
  explicit DelayPass(const ActivityLog& log)
      : log_(log), past_(log), passed_on_(log.size(), log.folder()), meetings_(log, past_) {
    Replay(log, MeasuredTimes())
        .each_backwards([](std::uint32_t, std::uint64_t) {},
                        [&](std::uint32_t rank, std::uint64_t activity) { end(rank, activity); });
  }

  DelayReport take() {
    sums_.each([&](std::uint32_t path, std::uint32_t rank, const Costs& costs) {
      report_.costs.push_back({path, rank, costs.short_term, costs.long_term});
    });
    return std::move(report_);
  }

 private:
  struct Costs {
    double short_term = 0;
    double long_term = 0;
  };

  struct LateWait {
    std::uint64_t activity = 0;
    double ticks = 0;
  };

  void end(std::uint32_t rank, std::uint64_t activity) {
    const PastActivity it = past_.at(rank, activity);
    const std::uint64_t waited = it.waited;
    if (waited == 0) return;
    report_.waiting += waited;
    const std::uint64_t on = it.cause;
    const std::uint32_t late = log_.rank_of(on);
    const Meeting meeting = meetings_.before(rank, activity, late, on);
    times_.clear();
    waits_.clear();
    add_times(late, meeting.of_late, on, meeting.from, 1);
    add_times(rank, meeting.of_waiting, activity, meeting.from, -1);
    if (!share(late, activity, static_cast<double>(waited))) {
      times_.clear();
      waits_.clear();
      add_times(late, meeting.of_late, on, meeting.from, 1);
      if (share(late, activity, static_cast<double>(waited))) return;
      times_.of(past_.at(late, on).before) = 1;
      share(late, activity, static_cast<double>(waited));
    }
  }

  // What `rank` did behind activity `begin`, up to the begin of `end`, as far as it was behind
  // `from`; of the late one (sign 1) also its waits.
  void add_times(std::uint32_t rank, std::uint64_t begin, std::uint64_t end, std::uint64_t from,
                 int sign) {
    for (std::uint64_t k = begin; k <= end; ++k) {
      const PastActivity& it = past_.at(rank, k);
      const std::uint64_t computed = std::min(it.computed, it.enter - std::min(it.enter, from));
      if (computed > 0) times_.of(it.before) += sign * static_cast<double>(computed);
      if (k == end || it.leave <= from) continue;
      const std::uint64_t transfer = it.leave - it.enter - it.waited;
      if (transfer > 0) times_.of(it.call_path) += sign * static_cast<double>(transfer);
      if (it.waited > 0 && sign > 0) waits_.push_back({k, static_cast<double>(it.waited)});
    }
  }

  // False if there is nothing to share among.
  bool share(std::uint32_t late, std::uint64_t activity, double waited) {
    double all = 0;
    for (const auto& [path, ticks] : times_.all()) all += std::max(ticks, 0.0);
    for (const LateWait& wait : waits_) all += wait.ticks;
    if (all <= 0) return false;
    const double passed_on = passed_on_[activity];
    for (const auto& [path, ticks] : times_.all()) {
      if (ticks <= 0) continue;
      Costs& costs = sums_.at(path, late);
      costs.short_term += waited * (ticks / all);
      costs.long_term += passed_on * (ticks / all);
    }
    for (const LateWait& wait : waits_) {
      passed_on_[wait.activity] += (waited + passed_on) * (wait.ticks / all);
      keep_mapped_files_small();
    }
    return true;
  }

  const ActivityLog& log_;
  LookBack past_;
  DelayReport report_;
  PathSums<Costs> sums_;
  DiskArray<double> passed_on_;  // by activity: what later waits have passed on to its wait
  Meetings meetings_;
  PathTicks times_;
  std::vector<LateWait> waits_;  // of the late rank
};

}  // namespace

DelayReport delays_of(const ActivityLog& log) {
  return DelayPass(log).take();
}

}  // namespace huddle::waitstates
