#include "spank_plugin/runtime/balance/balance_driver.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace huddle::runtime {
namespace {

/// Delimiters, and time, until it is believed that there is no cycle.
constexpr std::uint32_t kPatience = 200;
constexpr std::uint64_t kPatienceNs = 5'000'000'000;
/// Ranks whose cycles are as long as this are in the same one.
constexpr double kAlike = 1.25;
/// Balance points with nothing to gain, after which it is looked less often.
constexpr std::uint32_t kQuiet = 8;
constexpr std::uint64_t kRarest = 16;
/// Periods for which a round may be under way.
constexpr std::uint32_t kMostWaited = 4;
/// Periods from one look at the keeper to the next.
constexpr std::uint64_t kBetweenLooks = 64;

}  // namespace

BalanceDriver::BalanceDriver(balancing::ClockSteps steps, balancing::BalanceSettings settings,
                             ClockActuator& actuator, ReportExchange& exchange,
                             const RankMoment& now)
    : actuator_(actuator),
      exchange_(exchange),
      balancer_(steps, settings),
      top_(steps.most()),
      began_(now),
      asked_(top_),
      lowest_asked_(top_) {
  publish();
}

void BalanceDriver::consider(const RankMoment& now) noexcept {
  const std::uint64_t elapsed = now.nanoseconds - began_.nanoseconds;
  if (searching_) {
    // Slots are worse than cycles: a program gets some time to show one.
    searching_ = cycles_.length() == 0 && ++searched_ < kPatience && elapsed < kPatienceNs;
    if (!searching_) {
      began_ = now;
      count_ = 0;
    }
    return;
  }
  if (cycles_.length() == 0) slot_ = true;
  if (elapsed < (slot_ ? std::max(kSlotNs, least_ns_) : least_ns_)) return;
  end_period(now, slot_ ? 1 : static_cast<double>(count_));
  began_ = now;
  count_ = 0;
  slot_ = false;
}

void BalanceDriver::end_period(const RankMoment& now, double cycles) noexcept {
  ++periods_;
  slots_ = slot_;
  const double seconds = static_cast<double>(now.nanoseconds - began_.nanoseconds) * 1e-9;
  in_periods_s_ += seconds;
  clock_sum_ += seconds * asked_.value;
  const double length = seconds / cycles;
  cycle_ = cycle_ > 0 && slots_ == reported_slot_ ? 0.5 * (cycle_ + length) : length;
  const double ticks = static_cast<double>(now.ticks - began_.ticks);
  const double inside = static_cast<double>(now.ticks_inside - began_.ticks_inside);
  const double outside = ticks > 0 ? std::clamp(1 - inside / ticks, 0.0, 1.0) : 0;
  balancer_.period_ended({{scale_ * length * outside},
                          {scale_ * length},
                          actuator_.achieved(began_.nanoseconds, now.nanoseconds)});
  exchange_reports();
  ask();
  publish();
}

void BalanceDriver::publish() noexcept {
  const std::unique_lock lock(published_mutex_, std::try_to_lock);
  if (!lock) return;
  const Hertz mean = in_periods_s_ > 0 ? Hertz{clock_sum_ / in_periods_s_} : top_;
  published_ = {balancer_.status(), periods_, clock_changes_, top_, lowest_asked_, mean};
}

std::optional<BalanceSummary> BalanceDriver::summary() const noexcept {
  for (int tries = 0; tries < 100; ++tries) {
    if (const std::unique_lock lock(published_mutex_, std::try_to_lock); lock) return published_;
    std::this_thread::yield();
  }
  return std::nullopt;
}

// Both are of the same time, so that a program that slows down as a whole is not overlooked. A slot
// may be any number of cycles.
void BalanceDriver::rescale(double longest_cycle) noexcept {
  const double ratio =
      longest_cycle > 0 && reported_cycle_ > 0 ? longest_cycle / reported_cycle_ : 1;
  scale_ = reported_slot_ || ratio > kAlike ? ratio : 1;
}

void BalanceDriver::exchange_reports() noexcept {
  if (in_round_) {
    const std::optional<balancing::BalanceReport> all = exchange_.finished();
    if (!all) {
      ++waited_;
      return;
    }
    in_round_ = false;
    waited_ = 0;
    const std::uint32_t points = balancer_.status().points;
    balancer_.agreed(*all);
    rescale(all->maxima[balancing::BalanceReport::kCycle]);
    if (balancer_.status().points > points) {
      const bool gains = balancer_.status().imbalance > 1.05 || balancer_.clock() < top_;
      quiet_ = gains ? 0 : quiet_ + 1;
      if (gains) least_ns_ = kLeastPeriodNs;
      if (quiet_ >= kQuiet && least_ns_ < kRarest * kLeastPeriodNs) {
        least_ns_ *= 2;
        quiet_ = 0;
      }
    }
  }
  balancing::BalanceReport mine = balancer_.report();
  if (periods_ % kBetweenLooks == 0 && !actuator_.alive())
    mine.maxima[balancing::BalanceReport::kBroken] = 1;
  reported_cycle_ = cycle_;
  reported_slot_ = slots_;
  mine.maxima[balancing::BalanceReport::kCycle] = slots_ ? 0 : cycle_;
  in_round_ = exchange_.start(mine);
  if (!in_round_) end();
}

void BalanceDriver::ask() noexcept {
  if (over_) return;
  // A rank that does not report is not where it was, and neither is the load.
  const bool stale = waited_ > kMostWaited;
  const Hertz clock = stale ? top_ : balancer_.clock();
  const Seconds lease = stale ? Seconds{0} : balancer_.lease();
  if (clock == asked_ && lease.value <= 0) return;
  if (clock != asked_) ++clock_changes_;
  asked_ = clock;
  lowest_asked_ = std::min(lowest_asked_, clock);
  // A period may be several cycles, of which the lease is for one, as this rank has them.
  const double cycles =
      std::max(1.0, static_cast<double>(least_ns_) * 1e-9 / std::max(reported_cycle_, 1e-9));
  actuator_.ask(clock, lease * ((cycles + 1) / scale_));
}

void BalanceDriver::end() noexcept {
  if (over_) return;
  over_ = true;
  actuator_.ask(top_, {0});
  publish();
}

}  // namespace huddle::runtime
