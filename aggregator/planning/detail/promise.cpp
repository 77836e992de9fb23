#include "aggregator/planning/detail/promise.hpp"

#include <algorithm>
#include <cmath>

#include "profiles/store/timed_runs.hpp"

namespace huddle {
namespace {

// What is believed of the spread of runs before there are several: a spread of 3 %, as if 8 runs
// had shown it.
constexpr double kUsualSpread = 0.03;
constexpr double kUsualRuns = 8;
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

/// The newest logarithms of times of one kind.
class Kind {
 public:
  void add(Seconds elapsed) {
    logs_.push_back(std::log(elapsed.value));
    if (logs_.size() > kMostComparedRuns) logs_.erase(logs_.begin());
  }
  [[nodiscard]] std::size_t count() const { return logs_.size(); }
  [[nodiscard]] double mean() const {
    double sum = 0;
    for (const double log : logs_) sum += log;
    return sum / static_cast<double>(logs_.size());
  }
  [[nodiscard]] Seconds time() const {
    return logs_.empty() ? Seconds{} : Seconds{std::exp(mean())};
  }
  [[nodiscard]] double squares() const {
    double sum = 0;
    for (const double log : logs_) sum += (log - mean()) * (log - mean());
    return sum;
  }

 private:
  std::vector<double> logs_;
};

/// How much slower packed runs are, as a logarithm, and how well that is known.
struct Difference {
  Difference(const Kind& packed, const Kind& submitted)
      : mean(packed.mean() - submitted.mean()),
        degrees(kUsualRuns + static_cast<double>(packed.count() + submitted.count()) - 2) {
    const double squares =
        kUsualRuns * kUsualSpread * kUsualSpread + packed.squares() + submitted.squares();
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
double slower_by(double share, const Kind& submitted) {
  return std::log1p(share + kAroundStep.value / std::exp(submitted.mean()));
}

}  // namespace

PromiseVerdict judge_promise(const std::vector<ComparedRun>& runs, const PromiseRules& rules) {
  Kind packed;
  Kind submitted;
  std::size_t packed_since = 0;     // the last run as submitted
  std::size_t submitted_since = 0;  // the last packed run
  for (const ComparedRun& run : runs) {
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

}  // namespace huddle
