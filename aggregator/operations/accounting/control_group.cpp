#include "aggregator/operations/accounting/control_group.hpp"

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "profiles/formats/outcome/control_draw.hpp"

namespace huddle::operations {
namespace {

// Mean and variance of numbers that come one by one (Welford, 1962).
class RunningMoments {
 public:
  void add(double value) {
    ++count_;
    const double before = value - mean_;
    mean_ += before / count_;
    squares_ += before * (value - mean_);
  }
  [[nodiscard]] double count() const { return count_; }
  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] double variance() const { return count_ > 1 ? squares_ / (count_ - 1) : 0; }

 private:
  double count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

// Half of the interval's width around the mean.
double half_width(const RunningMoments& moments) {
  constexpr double kError = 0.1;
  constexpr double kNarrowestAt = 1000;
  const double log_error = -2 * std::log(kError);
  const double rho2 = (log_error + std::log(log_error + 1)) / kNarrowestAt;
  const double t = moments.count();
  const double spread = t * rho2 + 1;
  return std::sqrt(moments.variance() * 2 * spread / (t * t * rho2) *
                   std::log(std::sqrt(spread) / kError));
}

using Workload = std::tuple<std::string, std::string, std::string, std::uint32_t, std::string>;

Workload workload_of(const Outcome& outcome) {
  return {outcome.run->cluster, outcome.user, outcome.label, outcome.ranks, outcome.script};
}

// The newest run as submitted of each workload, without those of one job: what is expected of a job
// must not depend on its own draw.
class RunsAsSubmitted {
 public:
  void add(const ReportedRun& run) {
    Newest& newest = by_workload_[workload_of(run.outcome)];
    if (newest.last != nullptr && ticket_of(*newest.last) != ticket_of(run))
      newest.before = newest.last;
    newest.last = &run;
  }
  [[nodiscard]] const ReportedRun* before(const ReportedRun& run) const {
    const auto found = by_workload_.find(workload_of(run.outcome));
    if (found == by_workload_.end()) return nullptr;
    const auto& [last, before] = found->second;
    return ticket_of(*last) == ticket_of(run) ? before : last;
  }

 private:
  struct Newest {
    const ReportedRun* last = nullptr;
    const ReportedRun* before = nullptr;
  };
  // Runs that were in no draw are each a job of its own.
  static std::string ticket_of(const ReportedRun& run) {
    if (const auto& draw = run.outcome.control) return draw->ticket;
    return std::to_string(run.outcome.run->job);
  }

  std::map<Workload, Newest> by_workload_;
};

// Adds what a run took to its job, the steps and the members of an array of which have one lot.
void add_run(DrawnJob& job, const ReportedRun& run, const ReportedRun* before) {
  const ControlDraw& draw = *run.outcome.control;
  job.share = draw.share;
  job.is_control = draw.drawn;
  job.node_hours += run.node_hours();
  if (before == nullptr) return;
  const double expected = before->node_hours();
  job.expected_as_submitted += expected;
  job.expected_packed += expected * draw.nodes / before->outcome.run->nodes * (1 + draw.slowdown);
}

}  // namespace

ControlledSaving controlled_saving(std::span<const DrawnJob> jobs) {
  ControlledSaving saving;
  RunningMoments saved;
  RunningMoments submitted;
  for (const DrawnJob& job : jobs) {
    ++(job.is_control ? saving.control : saving.packed);
    double as_submitted = job.expected_as_submitted;
    double packed = job.expected_packed;
    if (job.is_control)
      as_submitted += (job.node_hours - job.expected_as_submitted) / job.share;
    else
      packed += (job.node_hours - job.expected_packed) / (1 - job.share);
    saved.add(as_submitted - packed);
    submitted.add(as_submitted);
  }
  if (saving.control < kLeastOfGroup || saving.packed < kLeastOfGroup) return saving;
  const double width = half_width(saved);
  saving.saved_node_hours = saved.count() * saved.mean();
  saving.low_node_hours = saved.count() * (saved.mean() - width);
  saving.high_node_hours = saved.count() * (saved.mean() + width);
  saving.submitted_node_hours = saved.count() * submitted.mean();
  return saving;
}

ControlledSaving controlled_saving(const JobReport& report) {
  // A job one of whose runs failed took less than it would have, in either group.
  std::set<std::string> cut_short;
  for (const ReportedRun& run : report.runs)
    if (const auto& draw = run.outcome.control; draw && run.outcome.end && !run.succeeded())
      cut_short.insert(draw->ticket);
  std::vector<DrawnJob> jobs;
  std::map<std::string, std::size_t> places;
  ControlledSaving failed;
  RunsAsSubmitted as_submitted;
  for (const ReportedRun& run : report.runs) {
    if (!run.outcome.run) continue;
    if (const auto& draw = run.outcome.control; draw && run.wanted && run.outcome.end) {
      if (!run.succeeded()) {
        ++(draw->drawn ? failed.control_failed : failed.packed_failed);
      } else if (!cut_short.contains(draw->ticket)) {
        const auto [place, is_new] = places.try_emplace(draw->ticket, jobs.size());
        if (is_new) jobs.emplace_back();
        add_run(jobs[place->second], run, as_submitted.before(run));
      }
    }
    if (run.succeeded() && run.outcome.plan_file.empty()) as_submitted.add(run);
  }
  ControlledSaving saving = controlled_saving(jobs);
  saving.control_failed = failed.control_failed;
  saving.packed_failed = failed.packed_failed;
  return saving;
}

}  // namespace huddle::operations
