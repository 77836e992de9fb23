#include "aggregator/waitstates/criticalpath/delays.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "aggregator/waitstates/criticalpath/detail/log_replay.hpp"
#include "aggregator/waitstates/criticalpath/detail/look_back.hpp"
#include "aggregator/waitstates/criticalpath/detail/meetings.hpp"
#include "aggregator/waitstates/criticalpath/detail/path_walk.hpp"
#include "aggregator/waitstates/criticalpath/temporary_file.hpp"

namespace huddle {
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
    add_waits_of_threads();
    Replay(log, MeasuredTimes())
        .each_backwards([](std::uint32_t, std::uint64_t) {},
                        [&](std::uint32_t rank, std::uint64_t activity) { end(rank, activity); });
  }

  DelayReport take() {
    sums_.each([&](std::uint32_t path, std::uint32_t rank, const Costs& costs) {
      report_.costs.push_back({path, rank, costs.short_term, costs.long_term});
    });
    for (const auto& [key, costs] : of_threads_)
      report_.costs.push_back({std::get<0>(key), std::get<1>(key), costs.short_term,
                               costs.long_term, std::get<2>(key)});
    std::ranges::sort(report_.costs, {}, [](const DelayCost& cost) {
      return std::tuple(cost.call_path, cost.rank, cost.thread);
    });
    report_.waiting += static_cast<std::uint64_t>(std::llround(waiting_of_threads_));
    return std::move(report_);
  }

 private:
  struct Costs {
    double short_term = 0;
    double long_term = 0;
  };

  // A wait of a first thread, in MPI or in OpenMP: the causes of the latter are those from
  // `causes` on.
  struct LateWait {
    std::uint64_t activity = 0;
    double ticks = 0;
    std::uint64_t causes = kNoActivity;
  };

  // They are known: what is left is where calls of MPI come in.
  void add_waits_of_threads() {
    const DiskArray<ThreadCause>& causes = log_.thread_causes();
    for (std::uint64_t at = 0; at < causes.size(); ++at) {
      const ThreadCause& cause = causes[at];
      waiting_of_threads_ += cause.ticks;
      blame(cause, cause.propagated ? Costs{0, cause.ticks} : Costs{cause.ticks, 0});
      keep_mapped_files_small();
    }
  }

  // As far as the cause itself waited, whom it waited for is to blame.
  void blame(const ThreadCause& cause, const Costs& costs) {
    double own = 1;
    if (cause.on != kNoActivity) {
      const Activity& call = log_[cause.on];
      const auto all = static_cast<double>(call.leave - call.enter);
      const auto transfer =
          static_cast<double>(log_.transfer_of(cause.on, log_.cause_of(cause.on).time));
      if (all > 0) own = transfer / all;
      passed_on_[cause.on] += (costs.short_term + costs.long_term) * (1 - own);
    }
    if (own <= 0) return;
    Costs& sum = cause.thread == 0 ? sums_.at(cause.late_in, cause.rank)
                                   : of_threads_[{cause.late_in, cause.rank, cause.thread}];
    sum.short_term += costs.short_term * own;
    sum.long_term += costs.long_term * own;
  }

  [[nodiscard]] std::uint64_t causes_of(std::uint64_t activity) const {
    const ThreadCause* const first = log_.thread_causes().data();
    const ThreadCause* const last = first + log_.thread_causes().size();
    return static_cast<std::uint64_t>(
        std::ranges::lower_bound(first, last, activity, {}, &ThreadCause::before) - first);
  }

  // Ticks that the rank waited in OpenMP in the computation before `activity`.
  [[nodiscard]] double waited_before(std::uint64_t activity, std::uint64_t causes) const {
    double ticks = 0;
    for (std::uint64_t at = causes;
         at < log_.thread_causes().size() && log_.thread_causes()[at].before == activity; ++at)
      ticks += log_.thread_causes()[at].ticks;
    return ticks;
  }

  void pass_on(const LateWait& wait, double ticks) {
    if (wait.causes == kNoActivity) {
      passed_on_[wait.activity] += ticks;
      return;
    }
    const double all = waited_before(wait.activity, wait.causes);
    for (std::uint64_t at = wait.causes;
         at < log_.thread_causes().size() && log_.thread_causes()[at].before == wait.activity;
         ++at) {
      const ThreadCause& cause = log_.thread_causes()[at];
      blame(cause, {0, ticks * (cause.ticks / all)});
    }
  }

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
      if (computed > 0)
        add_computation(k, it.before, static_cast<double>(computed),
                        static_cast<double>(it.computed), sign);
      if (k == end || it.leave <= from) continue;
      const std::uint64_t transfer = it.leave - it.enter - it.waited;
      if (transfer > 0) times_.of(it.call_path) += sign * static_cast<double>(transfer);
      if (it.waited > 0 && sign > 0) waits_.push_back({k, static_cast<double>(it.waited)});
    }
  }

  // `ticks` of all that it took lie behind the meeting: nobody knows when in it the rank waited, so
  // that of its waiting as large a share does.
  void add_computation(std::uint64_t activity, std::uint32_t path, double ticks, double all,
                       int sign) {
    double waited = 0;
    if (log_.thread_causes().size() > 0) {
      const std::uint64_t causes = causes_of(activity);
      waited = std::min(waited_before(activity, causes) * (ticks / all), ticks);
      if (waited > 0 && sign > 0) waits_.push_back({activity, waited, causes});
    }
    if (ticks > waited) times_.of(path) += sign * (ticks - waited);
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
      pass_on(wait, (waited + passed_on) * (wait.ticks / all));
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
  double waiting_of_threads_ = 0;
  // Call path, rank, thread; first threads are in sums_.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Costs> of_threads_;
};

}  // namespace

DelayReport delays_of(const ActivityLog& log) {
  return DelayPass(log).take();
}

}  // namespace huddle
