#include "profiles/balancing/rank_balancer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace huddle::balancing {
namespace {

constexpr std::array<std::string_view, 7> kRestNames = {
    "following", "measuring", "looking", "cost", "broken", "self-balanced", "stopped"};

/// A load that differs by less than this is what it was.
constexpr double kOdd = 0.25;
/// Work that takes longer than this share of the longest's is late, and not just a little noisy.
constexpr double kLate = 1.1;
constexpr double kSameClock = 0.005;
/// Standard deviations of a rank's own periods that it must not be late by.
constexpr double kCaution = 2;
/// Periods at one clock that make a mean.
constexpr std::uint32_t kFewPeriods = 3;
/// Balance points until it is looked whether a suspicion is right.
constexpr std::uint32_t kSoon = 3;
/// Longer than any.
constexpr double kNoWork = 1e300;

double deviation_of(std::uint32_t count, double sum, double squares) {
  if (count < 2) return 0;
  const double mean = sum / count;
  return std::sqrt(std::max(0.0, squares / count - mean * mean) * count / (count - 1));
}

bool same_clock(Hertz a, Hertz b) {
  return std::abs(a / b - 1) < kSameClock;
}

}  // namespace

std::string_view name_of(BalanceRest rest) {
  return kRestNames[static_cast<std::size_t>(rest)];
}

std::optional<BalanceRest> balance_rest_of(std::string_view name) {
  const auto* const found = std::find(kRestNames.begin(), kRestNames.end(), name);
  if (found == kRestNames.end()) return std::nullopt;
  return static_cast<BalanceRest>(found - kRestNames.begin());
}

std::string_view text_of(BalanceRest rest) {
  switch (rest) {
    case BalanceRest::kNone:
      return "clocks follow loads";
    case BalanceRest::kMeasuring:
      return "loads are being measured";
    case BalanceRest::kLooking:
      return "what the program takes at the top clock is being measured";
    case BalanceRest::kCost:
      return "the clocks cost more time than they may";
    case BalanceRest::kBroken:
      return "the clocks cost more time than they may, twice";
    case BalanceRest::kSelfBalanced:
      return "the program moves work by itself";
    case BalanceRest::kStopped:
      return "a rank can't go on balancing";
  }
  return "";
}

double RankBalancer::Interval::deviation() const {
  return deviation_of(periods, work, work_squared);
}

double RankBalancer::Interval::usual_deviation() const {
  return deviation_of(usual, usual_work, usual_squared);
}

RankBalancer::RankBalancer(ClockSteps steps, BalanceSettings settings)
    : steps_(std::move(steps)),
      settings_(settings),
      clock_(steps_.most()),
      sensitivity_(steps_.most()) {}

bool RankBalancer::for_good() const {
  return status_.rest == BalanceRest::kBroken || status_.rest == BalanceRest::kSelfBalanced ||
         status_.rest == BalanceRest::kStopped;
}

void RankBalancer::go_to_top() {
  clock_ = steps_.most();
}

void RankBalancer::begin_interval() {
  interval_ = {};
  changed_ = false;
  raised_ = false;
}

void RankBalancer::grow_patience() {
  calm_ = 0;
  // It may be noticed in more than one way, and happened once.
  if (std::exchange(grown_at_, status_.points + 1) == status_.points + 1) return;
  patience_ = std::min(kMostPatience, 2 * patience_);
}

void RankBalancer::measure_anew() {
  rest(BalanceRest::kMeasuring);
  work_before_ = 0;
  longest_ = 0;
  longest_before_ = 0;
  rest_of_period_ = -1;
  begin_interval();
}

void RankBalancer::work_was_moved() {
  if (!for_good()) measure_anew();
}

void RankBalancer::rest(BalanceRest why) {
  status_.rest = why;
  go_to_top();
  wanted_count_ = 0;
}

Seconds RankBalancer::lease() const {
  if (clock_ >= steps_.most() || longest_ <= 0) return {0};
  return {kLate * (longest_ + std::max(0.0, rest_of_period_))};
}

void RankBalancer::period_ended(const PeriodTimes& period) {
  const Hertz top = steps_.most();
  const Hertz achieved = period.achieved.value > 0 ? period.achieved : clock_;
  const double time = period.computation.value;
  const double work = time / stretch(sensitivity_.mean(), achieved, top);

  note_oddity(work, time, achieved);
  Interval& sums = interval_;
  sums.low = sums.low || !same_clock(achieved, top);
  ++sums.periods;
  sums.work += work;
  sums.work_squared += work * work;
  sums.as_run += time;
  sums.length += period.length.value;
  if (sums.pure == 0 || !same_clock(achieved, pure_clock_)) {
    pure_clock_ = achieved;
    sums.pure = 0;
    sums.pure_time = 0;
  }
  ++sums.pure;
  sums.pure_time += time;

  if (clock_ < top && longest_ > 0 && time > kLate * longest_) {
    go_to_top();
    raised_ = true;
  }
}

void RankBalancer::note_oddity(double work, double time, Hertz achieved) {
  Interval& sums = interval_;
  const bool enough = sums.usual >= kFewPeriods;
  const double usual = enough ? sums.usual_work / sums.usual : work_before_;
  if (usual > 0) {
    // Odd is what no sensitivity that may be explains.
    const double least = time / stretch(sensitivity_.upper(), achieved, steps_.most());
    const double most = time / stretch(sensitivity_.lower(), achieved, steps_.most());
    const double margin = std::max(kOdd * usual, enough ? 4 * sums.usual_deviation() : 0.0);
    if (least > usual + margin || most < usual - margin) {
      if (++odd_ >= 2) changed_ = true;
      return;
    }
  }
  odd_ = 0;
  ++sums.usual;
  sums.usual_work += work;
  sums.usual_squared += work * work;
}

BalanceReport RankBalancer::report() const {
  BalanceReport mine;
  const Interval& sums = interval_;
  if (sums.periods == 0) {
    mine.maxima[BalanceReport::kMinusShortest] = -kNoWork;
    mine.maxima[BalanceReport::kMinusShortestAtMost] = -kNoWork;
    return mine;
  }
  const double work = sums.mean_work();
  const double as_run = sums.as_run / sums.periods;
  // The longest work that may be: that makes the imbalance no larger than it is.
  const double cautious =
      sums.pure == 0
          ? work
          : sums.pure_time / sums.pure / stretch(sensitivity_.lower(), pure_clock_, steps_.most());
  mine.maxima[BalanceReport::kLongest] = work;
  mine.maxima[BalanceReport::kMinusShortest] = -work;
  mine.maxima[BalanceReport::kMinusShortestAtMost] = -std::max(work, cautious);
  mine.maxima[BalanceReport::kLongestAsRun] = as_run;
  mine.maxima[BalanceReport::kMinusPeriods] = -double{1} * sums.periods;
  mine.maxima[BalanceReport::kLength] = sums.length / sums.periods;
  mine.maxima[BalanceReport::kChanged] = changed_ ? 1.0 : (raised_ ? 0.5 : 0.0);
  mine.maxima[BalanceReport::kLow] = sums.low ? 1.0 : 0.0;
  mine.sums[BalanceReport::kWork] = work;
  if (work_before_ > 0) {
    mine.sums[BalanceReport::kWorkBefore] = work_before_;
    mine.sums[BalanceReport::kMovedWork] = std::abs(work - work_before_);
    if (was_lowered_) mine.sums[BalanceReport::kLoweredMore] = work - work_before_;
  }
  return mine;
}

void RankBalancer::agreed(const BalanceReport& all) {
  if (for_good()) return;
  if (all.maxima[BalanceReport::kBroken] > 0) {
    rest(BalanceRest::kStopped);
    return;
  }
  if (all.maxima[BalanceReport::kChanged] >= 1) {
    grow_patience();
    measure_anew();
    return;
  }
  // A load that was never measured, or has just changed, is known soon; then there is time.
  const bool short_one =
      status_.rest == BalanceRest::kMeasuring || status_.rest == BalanceRest::kLooking;
  const std::uint32_t due =
      short_one ? std::min(settings_.interval, kFirstPeriods) : settings_.interval;
  // The report is of the period before.
  if (all.periods() + 1 >= due) balance_point(all);
}

void RankBalancer::balance_point(const BalanceReport& all) {
  ++status_.points;
  longest_before_ = std::exchange(longest_, all.maxima[BalanceReport::kLongest]);
  if (interval_.pure >= kFewPeriods)
    sensitivity_.observe({interval_.pure_time / interval_.pure}, pure_clock_);
  if (all.maxima[BalanceReport::kChanged] > 0) {
    grow_patience();
  } else if (++calm_ >= 2 * patience_) {
    patience_ = std::max(1U, patience_ / 2);
    calm_ = 0;
  }
  const bool looked = status_.rest == BalanceRest::kLooking;
  status_.rest = BalanceRest::kNone;
  note_imbalance(all);
  if (looked) rest_of_period_ = -1;
  note_cost(all);
  if (!for_good()) note_self_balancing(all);
  if (status_.rest == BalanceRest::kNone && look_is_due(all)) {
    const std::size_t known = wanted_count_;
    rest(BalanceRest::kLooking);
    wanted_count_ = known;
  }
  was_lowered_ = pure_clock_ < steps_.most() && !same_clock(pure_clock_, steps_.most());
  if (status_.rest == BalanceRest::kNone) choose(longest_);
  work_before_ = interval_.mean_work();
  begin_interval();
}

void RankBalancer::note_imbalance(const BalanceReport& all) {
  const double shortest = -all.maxima[BalanceReport::kMinusShortest];
  const double cautious = -all.maxima[BalanceReport::kMinusShortestAtMost];
  if (longest_ <= 0) return;
  status_.imbalance = longest_ / std::max(shortest, 1e-12 * longest_);
  // The agreed ratio varies with the loads, and so one that is hardly above the range is not above
  // it.
  constexpr double kClear = 1.02;
  constexpr double kFarBeyond = 1.1;
  const double most = longest_ / std::max(cautious, 1e-12 * longest_) / steps_.range();
  beyond_in_a_row_ = most > kClear ? beyond_in_a_row_ + 1 : 0;
  const bool certain = most > kFarBeyond && !all.any_low();
  status_.beyond_clocks = beyond_in_a_row_ >= (certain ? 1U : 2U);
}

void RankBalancer::note_cost(const BalanceReport& all) {
  const double as_run = all.maxima[BalanceReport::kLongestAsRun];
  const double length = all.maxima[BalanceReport::kLength];
  if (longest_ <= 0 || length <= 0) return;
  status_.elapsed += Seconds{length * all.periods()};
  double overrun = as_run / longest_ - 1;
  if (!all.any_low()) {
    // The time that a period takes besides work is only seen where no lower clock has a part in it.
    const double besides = std::max(0.0, length - longest_);
    const bool known = rest_of_period_ >= 0;
    rest_noise_ =
        known ? 0.8 * rest_noise_ + 0.2 * std::abs(besides - rest_of_period_) : 0.25 * besides;
    rest_of_period_ = known ? 0.8 * rest_of_period_ + 0.2 * besides : besides;
  }
  if (rest_of_period_ >= 0)
    overrun = std::max(overrun, length / (longest_ + rest_of_period_ + 2 * rest_noise_) - 1);
  // A look shows what is true, whatever was estimated.
  if (!all.any_low() && low_length_ > 0 && std::abs(longest_ / low_work_ - 1) < 0.02) {
    count_overrun(low_length_ / length - 1, low_length_ * all.periods());
    low_length_ = 0;
    return;
  }
  count_overrun(overrun, length * all.periods());
}

void RankBalancer::count_overrun(double overrun, double time) {
  if (overrun <= 0) return;
  status_.lost += Seconds{time * overrun / (1 + overrun)};
  if (overrun > settings_.slowdown) {
    ++status_.overruns;
    grow_patience();
    rest(status_.overruns >= 2 ? BalanceRest::kBroken : BalanceRest::kCost);
  } else if (status_.lost > settings_.slowdown * status_.elapsed) {
    rest(BalanceRest::kCost);
  }
}

bool RankBalancer::look_is_due(const BalanceReport& all) {
  const bool low = all.any_low();
  low_work_ = low ? longest_ : 0;
  low_length_ = low ? all.maxima[BalanceReport::kLength] : 0;
  if (!low || --until_look_ > 0) return false;
  constexpr std::uint32_t kRarely = 128;
  between_looks_ = std::min(kRarely, 2 * between_looks_);
  until_look_ = between_looks_;
  return true;
}

void RankBalancer::note_self_balancing(const BalanceReport& all) {
  const double work = all.sums[BalanceReport::kWork];
  const double before = all.sums[BalanceReport::kWorkBefore];
  if (before <= 0) return;
  // Work that moves is neither more nor less, all in all.
  constexpr double kAsMuch = 0.015;
  constexpr double kMuch = 0.03;
  if (std::abs(work / before - 1) > kAsMuch) return;
  const bool moved = all.sums[BalanceReport::kMovedWork] / 2 > kMuch * before;
  const bool from_lowered = all.sums[BalanceReport::kLoweredMore] < -kMuch * before;
  const bool better = longest_before_ > 0 && longest_ < 0.95 * longest_before_;
  if (!moved || (!from_lowered && !better)) return;
  grow_patience();
  until_look_ = std::min(until_look_, kSoon);  // is it so?
  if (++self_balanced_ >= 2) rest(BalanceRest::kSelfBalanced);
}

Hertz RankBalancer::clock_for(double deadline, double time_now, Hertz clock_now) const {
  const Hertz top = steps_.most();
  for (const Hertz clock : steps_.ascending()) {
    double longest = 0;
    for (const double s : {sensitivity_.lower(), sensitivity_.mean(), sensitivity_.upper()})
      longest = std::max(longest, time_now * stretch(s, clock, top) / stretch(s, clock_now, top));
    if (longest <= deadline * (1 + 1e-9)) return clock;
  }
  return top;
}

void RankBalancer::choose(double deadline) {
  if (interval_.pure < kFewPeriods || deadline <= 0) return;
  const double mean = interval_.mean_work();
  Hertz wanted = steps_.most();
  if (mean < deadline * (1 - 1e-6)) {
    // The fewer periods, the less is known of how much they differ.
    const double caution = kCaution * (1 + 2.0 / interval_.periods);
    const double longest = mean > 0 ? 1 + caution * interval_.deviation() / mean : 1;
    wanted = clock_for(deadline, longest * interval_.pure_time / interval_.pure, pure_clock_);
  }
  std::copy_backward(wanted_.begin(), std::prev(wanted_.end()), wanted_.end());
  wanted_.front() = wanted;
  wanted_count_ = std::min(wanted_count_ + 1, wanted_.size());
  if (wanted >= clock_) {
    clock_ = wanted;
    return;
  }
  if (wanted_count_ < patience_) return;
  const std::size_t looked_at = std::min<std::size_t>(wanted_count_, std::max(2U, patience_));
  clock_ =
      *std::max_element(wanted_.begin(), wanted_.begin() + static_cast<std::ptrdiff_t>(looked_at));
}

}  // namespace huddle::balancing
