#include "aggregator/planning/promise.hpp"

#include <algorithm>
#include <cmath>

#include "aggregator/planning/detail/life/workloads.hpp"
#include "profiles/store/timed_runs.hpp"

namespace huddle::planning {
namespace {

// So much beyond the bound is not to be tried again.
constexpr double kFarBeyond = 0.10;
// Before a broken plan is tried again, so many runs in a row were as submitted.
constexpr std::size_t kRunsBeforeRetry = 2;

// Quantiles of the normal distribution.
constexpr double kSide90 = 1.2816;  // 90 % below
constexpr double kSide95 = 1.6449;
constexpr double kSide99 = 2.3263;

// Student's quantile from the normal one, by the expansion of Cornish and Fisher: within 1 % for 7
// degrees of freedom and more (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5).
double student_quantile(double normal, double degrees) {
  const double z = normal;
  const double first = (std::pow(z, 3) + z) / 4;
  const double second = (5 * std::pow(z, 5) + 16 * std::pow(z, 3) + 3 * z) / 96;
  const double third =
      (3 * std::pow(z, 7) + 19 * std::pow(z, 5) + 17 * std::pow(z, 3) - 15 * z) / 384;
  return z + first / degrees + second / std::pow(degrees, 2) + third / std::pow(degrees, 3);
}

/// The slowdown of packed runs, as a logarithm, and how well that is known.
struct Difference {
  Difference(const LoggedTimes& packed, const LoggedTimes& submitted)
      : mean(packed.mean() - submitted.mean()),
        degrees(LoggedTimes::kUsualRuns + static_cast<double>(packed.count() + submitted.count()) -
                2) {
    const double squares =
        LoggedTimes::kUsualRuns * LoggedTimes::kUsualSpread * LoggedTimes::kUsualSpread +
        packed.squares() + submitted.squares();
    error = std::sqrt(
        squares / degrees *
        (1 / static_cast<double>(packed.count()) + 1 / static_cast<double>(submitted.count())));
  }
  [[nodiscard]] double above(double normal) const {
    return mean + student_quantile(normal, degrees) * error;
  }
  [[nodiscard]] double below(double normal) const {
    return mean - student_quantile(normal, degrees) * error;
  }

  double mean;
  double degrees;
  double error = 0;
};

// The slowdown that is `share` of the time as submitted, and what is around a run.
double slower_by(double share, const LoggedTimes& submitted) {
  return std::log1p(share + store::kAroundStep.value / std::exp(submitted.mean()));
}

PromiseVerdict judge_workload(const ComparedWorkload& workload, const PromiseRules& rules) {
  LoggedTimes packed;
  LoggedTimes submitted;
  std::size_t packed_since = 0;     // the last run as submitted
  std::size_t submitted_since = 0;  // the last packed run
  for (const ComparedRun& run : workload.runs) {
    (run.packed ? packed : submitted).add(run.elapsed);
    packed_since = run.packed ? packed_since + 1 : 0;
    submitted_since = run.packed ? 0 : submitted_since + 1;
  }
  PromiseVerdict verdict;
  verdict.packed_runs = packed.count();
  verdict.runs_as_submitted = submitted.count();
  verdict.packed_time = packed.time();
  verdict.time_as_submitted = submitted.time();
  if (packed.count() == 0 || submitted.count() == 0) return verdict;
  const Difference difference(packed, submitted);
  verdict.slowdown = std::expm1(difference.mean);
  verdict.low = std::expm1(difference.below(kSide95));
  verdict.high = std::expm1(difference.above(kSide95));
  const double bound = slower_by(rules.bound, submitted);
  const bool may_be_far =
      difference.above(kSide99) > slower_by(rules.bound + kFarBeyond, submitted);
  if (difference.mean > bound) {
    verdict.state = PromiseState::kBroken;
    const bool unlucky = difference.below(kSide95) <= bound && !may_be_far;
    if (!unlucky || submitted_since < kRunsBeforeRetry) verdict.next = NextRun::kAsSubmitted;
    return verdict;
  }
  verdict.state = may_be_far ? PromiseState::kUnconfirmed : PromiseState::kKept;
  const bool is_close = difference.above(kSide90) > bound;
  const bool check_is_due =
      rules.check_every != 0 && (may_be_far || (is_close && packed_since >= rules.check_every));
  if (check_is_due && packed_since > 0) verdict.next = NextRun::kAsSubmitted;
  return verdict;
}

// Adds what is known of runs that the pattern does not explain: they neither keep the promise nor
// break it, and a run as submitted is to show what they are.
void add_unexplained(const ComparedWorkload& workload, const PromiseRules& rules,
                     PromiseVerdict& verdict) {
  const LoggedTimes& runs = workload.unexplained;
  if (runs.count() == 0) return;
  verdict.unexplained_runs = runs.count();
  verdict.unexplained_change = runs.time() / workload.as_submitted.time() - 1;
  if (verdict.state == PromiseState::kBroken || !workload.is_open) return;
  verdict.state = PromiseState::kOtherWorkload;
  if (rules.check_every != 0) verdict.next = NextRun::kAsSubmitted;
}

}  // namespace

PromiseVerdict judge_promise(const std::vector<ComparedRun>& runs, const PromiseRules& rules) {
  const std::vector<ComparedWorkload> workloads = workloads_of(runs, rules);
  const ComparedWorkload& newest = workloads.back();
  PromiseVerdict verdict = judge_workload(newest, rules);
  add_unexplained(newest, rules, verdict);
  // A plan that was withdrawn for slow runs stays so until runs as submitted explain these.
  if (newest.was_too_slow && newest.as_submitted.count() < kRunsBeforeRetry) {
    verdict.state = PromiseState::kBroken;
    verdict.next = NextRun::kAsSubmitted;
  }
  if (verdict.packed_runs > 0 || workloads.size() == 1) return verdict;
  const auto tried =
      std::find_if(workloads.rbegin(), workloads.rend(), [](const ComparedWorkload& each) {
        return std::any_of(each.runs.begin(), each.runs.end(),
                           [](const ComparedRun& run) { return run.packed; });
      });
  if (tried == workloads.rend()) return verdict;
  PromiseVerdict former = judge_workload(*tried, rules);
  if (former.state != PromiseState::kBroken) return verdict;
  former.next = NextRun::kAsSubmitted;
  return former;
}

}  // namespace huddle::planning
