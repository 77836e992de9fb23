#pragma once

// Clocks that follow loads in a program that knows nothing of it: measures a rank's periods as its
// calls of MPI pass by, exchanges reports with the other ranks, and asks for clocks.

#include <cstdint>
#include <mutex>
#include <optional>

#include "profiles/balancing/balance_report.hpp"
#include "profiles/balancing/rank_balancer.hpp"
#include "profiles/vocabulary/quantities.hpp"
#include "spank_plugin/runtime/balance/cycle_finder.hpp"

namespace huddle::runtime {

/// Where a rank asks for its clock. Nothing waits.
class ClockActuator {
 public:
  virtual ~ClockActuator() = default;
  /// At most `clock`, until the next ask, and for `lease` if that is above 0.
  virtual void ask(Hertz clock, Seconds lease) noexcept = 0;
  /// The mean clock between two times (CLOCK_MONOTONIC, ns), of which the second is now; 0: not
  /// known.
  [[nodiscard]] virtual Hertz achieved(std::uint64_t begin_ns, std::uint64_t now_ns) noexcept = 0;
  /// True while asking has an effect. May take a system call.
  [[nodiscard]] virtual bool alive() const noexcept = 0;

 protected:
  ClockActuator() = default;
  ClockActuator(const ClockActuator&) = default;
  ClockActuator& operator=(const ClockActuator&) = default;
};

/// Combines the reports of all ranks, one round after the other. Nothing waits.
class ReportExchange {
 public:
  virtual ~ReportExchange() = default;
  /// This rank's report for the next round. Precondition: no round is under way here. False if that
  /// fails: then the exchange is over.
  virtual bool start(const balancing::BalanceReport& mine) noexcept = 0;
  /// The combined report, once all ranks have given theirs; then the round is no longer under way.
  virtual std::optional<balancing::BalanceReport> finished() noexcept = 0;

 protected:
  ReportExchange() = default;
  ReportExchange(const ReportExchange&) = default;
  ReportExchange& operator=(const ReportExchange&) = default;
};

/// A moment of a rank's first thread.
struct RankMoment {
  /// CLOCK_MONOTONIC.
  std::uint64_t nanoseconds = 0;
  /// Ticks of the recorder's clock, and those of them that were spent inside MPI so far.
  std::uint64_t ticks = 0;
  std::uint64_t ticks_inside = 0;
};

/// Summary of what a rank's balancer has done up to a moment.
struct BalanceSummary {
  balancing::BalanceStatus status;
  std::uint64_t periods = 0;
  /// Number of times that another clock was asked for.
  std::uint64_t clock_changes = 0;
  Hertz top;
  /// The lowest clock that was asked for; and the mean over the periods, the top before the first.
  Hertz lowest;
  Hertz mean;
};

/// The balancer of one rank in its program. A period is one cycle of its delimiters, or several
/// short ones together; where there is no cycle, a stretch of time. Loads count for one cycle, and
/// where ranks have cycles of other lengths in proportion to the longest. One thread: the rank's
/// first.
class BalanceDriver {
 public:
  /// A period is at least as long, so that what this costs is a few thousandths of it.
  static constexpr std::uint64_t kLeastPeriodNs = 5'000'000;
  /// And as long where there is no cycle.
  static constexpr std::uint64_t kSlotNs = 50'000'000;

  /// Keeps references.
  BalanceDriver(balancing::ClockSteps steps, balancing::BalanceSettings settings,
                ClockActuator& actuator, ReportExchange& exchange, const RankMoment& now);

  /// A delimiter is over. `now` is called if more is to be done than to count it.
  template <class Now>
  void pass(std::uint64_t key, Now now) noexcept {
    if (over_) return;
    const bool cycle = cycles_.pass(key);
    if (cycle) ++count_;
    if (!cycle && cycles_.length() != 0) return;
    consider(now());
  }

  /// The clock goes to the top, and nothing is asked or exchanged any more.
  void end() noexcept;
  /// True while a round of the exchange is under way.
  [[nodiscard]] bool in_round() const { return in_round_; }

  [[nodiscard]] const balancing::BalanceStatus& status() const { return balancer_.status(); }
  /// As of the last period that was over, or of the one before. From any thread: neither side waits
  /// for the other. Nothing if it can't be had just now.
  [[nodiscard]] std::optional<BalanceSummary> summary() const noexcept;

  /// Returns the number of times that another clock was asked for.
  [[nodiscard]] std::uint64_t clock_changes() const { return clock_changes_; }
  [[nodiscard]] std::uint64_t periods() const { return periods_; }

 private:
  void consider(const RankMoment& now) noexcept;
  void end_period(const RankMoment& now, double cycles) noexcept;
  void rescale(double longest_cycle) noexcept;
  void exchange_reports() noexcept;
  void ask() noexcept;
  void publish() noexcept;

  ClockActuator& actuator_;
  ReportExchange& exchange_;
  balancing::RankBalancer balancer_;
  Hertz top_;
  CycleFinder cycles_;
  RankMoment began_;
  std::uint64_t count_ = 0;  // cycles in this period
  bool slot_ = false;        // whether there was none in a part of it
  std::uint64_t least_ns_ = kLeastPeriodNs;
  Hertz asked_;
  Hertz lowest_asked_;
  double clock_sum_ = 0;  // of the clocks that were asked for, each times its seconds
  double in_periods_s_ = 0;
  double scale_ = 1;
  double cycle_ = 0;  // s, smoothed, as the clock on the wall has it
  bool slots_ = false;
  double reported_cycle_ = 0;
  bool reported_slot_ = false;
  bool searching_ = true;
  std::uint32_t searched_ = 0;
  std::uint64_t periods_ = 0;
  std::uint64_t clock_changes_ = 0;
  std::uint32_t quiet_ = 0;
  bool in_round_ = false;
  std::uint32_t waited_ = 0;  // periods since it was due
  bool over_ = false;
  // For other threads: nobody waits for who has it, but tries again later.
  mutable std::mutex published_mutex_;
  BalanceSummary published_;
};

}  // namespace huddle::runtime
