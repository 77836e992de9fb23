#include "aggregator/planning/detail/life/workloads.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "profiles/store/timed_runs.hpp"

namespace huddle::planning {
namespace {

// Runs that differ by less may do so as their machine does.
constexpr double kLeastChange = 0.2;
// So often a run as submitted must have come between packed runs that are too fast to be explained,
// and shown the same time as before: then packing is what makes them fast.
constexpr int kConfirmations = 2;

// In logarithms: what starting and ending a run may add to `time`.
double around(Seconds time) {
  return std::log1p(store::kAroundStep / time);
}

bool is_of_other_workload(const LoggedTimes& as_submitted, Seconds elapsed) {
  const Seconds usual = as_submitted.time();
  const double most =
      std::max(kLeastChange, as_submitted.usual_difference()) + around(std::min(usual, elapsed));
  return std::abs(std::log(elapsed / usual)) > most;
}

bool is_too_fast(const LoggedTimes& as_submitted, Seconds elapsed, const PromiseRules& rules) {
  if (!rules.least || as_submitted.count() == 0) return false;
  return elapsed < store::least_explained(as_submitted.time(), *rules.least) *
                       std::exp(-as_submitted.usual_difference());
}

bool is_too_slow(const LoggedTimes& as_submitted, Seconds elapsed, const PromiseRules& rules) {
  if (as_submitted.count() == 0) return false;
  return elapsed > as_submitted.time() * (1 + rules.bound) + store::kAroundStep;
}

// Takes the packed runs at the end of `before` that it does not explain, and `elapsed` does, which
// is the time of the first run as submitted of the new workload.
ComparedWorkload begun_after(ComparedWorkload& before, Seconds elapsed, const PromiseRules& rules) {
  LoggedTimes anew;
  anew.add(elapsed);
  const auto explains = [&](const LoggedTimes& times, const ComparedRun& run) {
    return !is_too_fast(times, run.elapsed, rules) && !is_too_slow(times, run.elapsed, rules);
  };
  const auto last = std::find_if(before.runs.rbegin(), before.runs.rend(),
                                 [](const ComparedRun& run) { return !run.packed; });
  ComparedWorkload begun;
  const auto moves = [&](const ComparedRun& run) {
    return !explains(before.as_submitted, run) && explains(anew, run);
  };
  for (auto run = last.base(); run != before.runs.end(); ++run) {
    if (!moves(*run)) continue;
    begun.was_too_slow =
        begun.was_too_slow || is_too_slow(before.as_submitted, run->elapsed, rules);
    begun.runs.push_back(*run);
  }
  before.runs.erase(std::remove_if(last.base(), before.runs.end(), moves), before.runs.end());
  return begun;
}

void set_unexplained_aside(ComparedWorkload& workload, const PromiseRules& rules) {
  int confirmations = 0;
  const auto unexplained = [&](const ComparedRun& run) {
    return run.packed && is_too_fast(workload.as_submitted, run.elapsed, rules);
  };
  for (const ComparedRun& run : workload.runs) {
    if (unexplained(run)) {
      workload.unexplained.add(run.elapsed);
      workload.is_open = true;
    } else if (!run.packed && workload.is_open) {
      workload.is_open = false;
      ++confirmations;
    }
  }
  if (confirmations < kConfirmations) {
    std::erase_if(workload.runs, unexplained);
    return;
  }
  workload.unexplained = {};
  workload.is_open = false;
}

}  // namespace

std::vector<ComparedWorkload> workloads_of(const std::vector<ComparedRun>& runs,
                                           const PromiseRules& rules) {
  std::vector<ComparedWorkload> workloads(1);
  for (const ComparedRun& run : runs) {
    ComparedWorkload& before = workloads.back();
    if (!run.packed && before.as_submitted.count() > 0 &&
        is_of_other_workload(before.as_submitted, run.elapsed))
      workloads.push_back(begun_after(before, run.elapsed, rules));
    workloads.back().runs.push_back(run);
    if (!run.packed) workloads.back().as_submitted.add(run.elapsed);
  }
  for (ComparedWorkload& workload : workloads) set_unexplained_aside(workload, rules);
  return workloads;
}

void LoggedTimes::add(Seconds elapsed) {
  logs_.push_back(std::log(elapsed.value));
  if (logs_.size() > kMost) logs_.erase(logs_.begin());
}

double LoggedTimes::mean() const {
  double sum = 0;
  for (const double log : logs_) sum += log;
  return sum / static_cast<double>(logs_.size());
}

Seconds LoggedTimes::time() const {
  return logs_.empty() ? Seconds{} : Seconds{std::exp(mean())};
}

double LoggedTimes::squares() const {
  double sum = 0;
  for (const double log : logs_) sum += (log - mean()) * (log - mean());
  return sum;
}

double LoggedTimes::usual_difference() const {
  constexpr double kHardlyEver = 4;  // standard deviations
  const auto runs = static_cast<double>(count());
  const double variance =
      (kUsualRuns * kUsualSpread * kUsualSpread + squares()) / (kUsualRuns + runs - 1);
  return kHardlyEver * std::sqrt(variance * (1 + 1 / runs));
}

}  // namespace huddle::planning
