#include "aggregator/waitstates/criticalpath/critical_path.hpp"

#include <algorithm>

#include "aggregator/waitstates/criticalpath/detail/path_walk.hpp"

namespace huddle::waitstates {
namespace {

struct Ticks {
  std::uint64_t on_path = 0;
  std::uint64_t all = 0;
};

// Keeps the longest of them, however many there are.
class LongestIntervals {
 public:
  explicit LongestIntervals(std::size_t most) : most_(most) {}

  // From the end of the run to its begin.
  void add(std::uint32_t rank, std::uint64_t begin, std::uint64_t end) {
    if (!kept_.empty() && kept_.back().rank == rank && kept_.back().begin == end) {
      kept_.back().begin = begin;
      return;
    }
    if (kept_.size() > 2 * most_) shorten();
    if (begin < end) kept_.push_back({rank, begin, end});
  }

  std::vector<CriticalInterval> take() {
    shorten();
    std::reverse(kept_.begin(), kept_.end());
    return std::move(kept_);
  }

 private:
  void shorten() {
    if (kept_.size() <= most_) return;
    const auto longer = [](const CriticalInterval& a, const CriticalInterval& b) {
      return a.end - a.begin > b.end - b.begin;
    };
    std::nth_element(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(most_), kept_.end(),
                     longer);
    kept_.resize(most_);
    std::sort(kept_.begin(), kept_.end(),
              [](const auto& a, const auto& b) { return a.begin > b.begin; });
  }

  std::size_t most_;
  std::vector<CriticalInterval> kept_;
};

class CallAccounting {
 public:
  CallAccounting(const ActivityLog& log, std::size_t most_intervals)
      : log_(log), intervals_(most_intervals) {}

  void computation(std::uint32_t rank, std::uint64_t activity, std::uint64_t ticks) {
    if (ticks > 0) sums_.at(log_.path_before(rank, activity), rank).on_path += ticks;
  }
  void mpi(std::uint32_t rank, std::uint64_t activity, std::uint64_t ticks) {
    if (ticks > 0) sums_.at(log_[activity].call_path, rank).on_path += ticks;
  }
  void before_begin(std::uint32_t rank, std::uint64_t ticks) {
    if (ticks > 0) sums_.at(CallPath::kRoot, rank).on_path += ticks;
  }
  void on(std::uint32_t rank, std::uint64_t begin, std::uint64_t end) {
    intervals_.add(rank, begin, end);
  }
  void jump() { ++result_.jumps; }

  // All that a rank did, on the path or off it.
  void add_all_of(std::uint32_t rank) {
    // A few call paths take turns: they are summed up without looking them up each time.
    std::vector<std::uint64_t> by_path(log_.call_paths().size());
    std::uint64_t outside = log_.begin_of(rank);
    const auto book = [&](std::uint32_t path, std::uint64_t ticks) {
      (path < by_path.size() ? by_path[path] : outside) += ticks;
    };
    const std::uint64_t end = log_.first_of(rank + 1);
    for (std::uint64_t activity = log_.first_of(rank);; ++activity) {
      const std::uint64_t computed = log_.computation_before(rank, activity);
      book(log_.path_before(rank, activity), computed);
      result_.computation += computed;
      if (activity == end) break;
      const std::uint64_t transfer = log_.transfer_of(activity, log_.cause_of(activity).time);
      book(log_[activity].call_path, transfer);
      result_.waiting += log_[activity].leave - log_[activity].enter - transfer;
      count_contradictions(activity);
      keep_mapped_files_small();
    }
    for (std::uint32_t path = 0; path < by_path.size(); ++path)
      if (by_path[path] > 0) sums_.at(path, rank).all = by_path[path];
    if (outside > 0) sums_.at(CallPath::kRoot, rank).all = outside;
  }

  CriticalPath take() {
    std::uint64_t all = 0;
    sums_.each([&](std::uint32_t path, std::uint32_t rank, const Ticks& ticks) {
      result_.shares.push_back({path, rank, ticks.on_path, ticks.all});
      std::vector<CriticalCallPath>& paths = result_.call_paths;
      if (paths.empty() || paths.back().call_path != path) {
        all = 0;
        paths.push_back({path, 0, 0});
      }
      CriticalCallPath& here = paths.back();
      here.on_path += ticks.on_path;
      all += ticks.all;
      const std::uint64_t mean = (all + log_.ranks() / 2) / log_.ranks();
      here.imbalance = here.on_path - std::min(here.on_path, mean);  // the last rank's stays
    });
    result_.run_time = log_.run_time();
    result_.lost = result_.run_time * log_.ranks() - result_.computation;
    result_.intervals = intervals_.take();
    return std::move(result_);
  }

 private:
  void count_contradictions(std::uint64_t activity) {
    for (const ActivityLink& link : log_.links_of(activity)) {
      const std::uint64_t on = log_.waits_for(link);
      if (on != kNoActivity && !log_.holds(activity, on)) ++result_.contradictions;
    }
  }

  const ActivityLog& log_;
  CriticalPath result_;
  PathSums<Ticks> sums_;
  LongestIntervals intervals_;
};

}  // namespace

CriticalPath critical_path_of(const ActivityLog& log, std::size_t most_intervals) {
  CallAccounting booking(log, most_intervals);
  walk_critical_path(log, MeasuredRun(log), booking);
  for (std::uint32_t rank = 0; rank < log.ranks(); ++rank) booking.add_all_of(rank);
  return booking.take();
}

}  // namespace huddle::waitstates
