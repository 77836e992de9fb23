#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "profiles/balancing/balance_report.hpp"
#include "profiles/balancing/clock_sensitivity.hpp"
#include "profiles/balancing/clock_steps.hpp"
#include "profiles/balancing/workload.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::balancing {

/// Periods of the first interval, and of the first one after a load has changed, unless intervals
/// are shorter.
inline constexpr std::uint32_t kFirstPeriods = 4;

struct BalanceSettings {
  /// Periods from one balance point to the next, 1 or more. EnergyLB's published interval is 10.
  /// The first balance point, and the first after a load has changed, may be sooner.
  std::uint32_t interval = 10;
  /// The most that the clocks may cost, as a share of the program's time.
  double slowdown = 0.05;
};

/// One period of a rank: what the program does again and again.
struct PeriodTimes {
  /// Outside of MPI.
  Seconds computation;
  /// All of it.
  Seconds length;
  /// Mean while it computed, as the hardware did it, not as it was asked for.
  Hertz achieved;
};

/// Why a rank has the top clock although it could wait.
enum class BalanceRest : std::uint8_t {
  kNone,          ///< it does not: clocks follow loads
  kMeasuring,     ///< too little is known yet, or something changed
  kLooking,       ///< whether the promise holds: for a few periods, now and then
  kCost,          ///< the clocks cost more than the bound, once; or all in all, for the moment
  kBroken,        ///< they did so twice: for good
  kSelfBalanced,  ///< the program moves work by itself, by times that clocks would falsify: for
                  ///< good
  kStopped,       ///< a rank can't go on: for good
};

/// The word that files use: "following" for kNone, "measuring", "looking", "cost", "broken",
/// "self-balanced" or "stopped".
std::string_view name_of(BalanceRest rest);
/// The opposite; nothing for other words.
std::optional<BalanceRest> balance_rest_of(std::string_view name);
/// A phrase for people: "the clocks cost more than the bound twice".
std::string_view text_of(BalanceRest rest);

/// The record of a balancer.
struct BalanceStatus {
  BalanceRest rest = BalanceRest::kMeasuring;
  /// Equation 2, as agreed last; 1 before.
  double imbalance = 1;
  /// True if clocks alone can't level that out: by far, at the top clocks, or at two balance points
  /// in a row.
  bool beyond_clocks = false;
  std::uint32_t points = 0;
  /// Balance points at which the clocks cost more than the bound.
  std::uint32_t overruns = 0;
  /// The time that the clocks cost, and the whole time, up to the last balance point; the same on
  /// all ranks.
  Seconds lost;
  Seconds elapsed;
};

/// The balancer of one rank: EnergyLB for programs that compute, wait for each other, and compute
/// again. Each rank has one; all of them see the same combined reports in the same order, and so
/// are at the same balance point. It asks for the least clock at which its rank still arrives when
/// the most loaded one does, and for the top clock
/// - until an interval was measured, and after a load has changed;
/// - at once, without asking the others, if its own work takes longer than the longest's;
/// - for a few periods now and then, to see what the program takes without lower clocks;
/// - if the clocks cost more than the bound, and for good if that happens twice;
/// - for good, if the program balances its work by itself.
/// The more often loads have changed, the longer they must stay the same before clocks fall again.
///
/// No call of it waits or allocates. One thread.
class RankBalancer {
 public:
  RankBalancer(ClockSteps steps, BalanceSettings settings);

  /// After each period. The clock to ask for may change by it.
  void period_ended(const PeriodTimes& period);
  /// The message to the other ranks, after period_ended().
  [[nodiscard]] BalanceReport report() const;
  /// With the combined report of all ranks of an earlier period, each exactly once and in order;
  /// best at the same period on all ranks, though that is not needed. What depends on all ranks is
  /// decided by these reports alone, so that all are at the same balance point. The clock to ask
  /// for may change by it.
  void agreed(const BalanceReport& all);

  /// Work was given to other ranks than before, by a time balancer: at the same period on all
  /// ranks.
  void work_was_moved();

  /// The clock to ask for.
  [[nodiscard]] Hertz clock() const { return clock_; }
  /// The time from a period's begin for which a clock below the top may last: then the work is not
  /// what it was, and whoever keeps the clock is to raise it. 0: as long as it likes.
  [[nodiscard]] Seconds lease() const;
  [[nodiscard]] const BalanceStatus& status() const { return status_; }
  /// The work of a period, as measured between the last two balance points; a time of 0 before the
  /// first. The sensitivity is the highest that may be.
  [[nodiscard]] Workload workload() const { return {{work_before_}, sensitivity_.upper()}; }

 private:
  static constexpr std::uint32_t kMostPatience = 64;
  static constexpr std::uint32_t kFirstLook = 32;

  struct Interval {
    std::uint32_t periods = 0;
    double work = 0;          ///< sum, at the top clock
    double work_squared = 0;  ///< sum of squares
    double as_run = 0;        ///< sum
    double length = 0;        ///< sum
    std::uint32_t usual = 0;  ///< periods that were like the others before them
    double usual_work = 0;    ///< their sum
    double usual_squared = 0;
    bool low = false;        ///< whether a clock was below the top
    std::uint32_t pure = 0;  ///< periods at pure_clock
    double pure_time = 0;    ///< their sum

    [[nodiscard]] double mean_work() const { return periods == 0 ? 0 : work / periods; }
    [[nodiscard]] double deviation() const;
    [[nodiscard]] double usual_deviation() const;
  };

  void note_oddity(double work, double time, Hertz achieved);

  void go_to_top();
  void begin_interval();
  void measure_anew();
  void grow_patience();
  void rest(BalanceRest why);
  void balance_point(const BalanceReport& all);
  void note_cost(const BalanceReport& all);
  void count_overrun(double overrun, double time);
  bool look_is_due(const BalanceReport& all);
  void note_self_balancing(const BalanceReport& all);
  void note_imbalance(const BalanceReport& all);
  void choose(double deadline);
  [[nodiscard]] Hertz clock_for(double deadline, double time_now, Hertz clock_now) const;
  [[nodiscard]] bool for_good() const;

  ClockSteps steps_;
  BalanceSettings settings_;
  Hertz clock_;
  BalanceStatus status_;
  ClockSensitivity sensitivity_;
  Interval interval_;
  Hertz pure_clock_;
  /// Mean work of the interval before; 0: none.
  double work_before_ = 0;
  /// The longest's work, and the length of a period, while clocks were low last; 0: they were not.
  double low_work_ = 0;
  double low_length_ = 0;
  /// Balance points until the next look, and how many there are between looks.
  std::uint32_t until_look_ = kFirstLook;
  std::uint32_t between_looks_ = kFirstLook;
  bool was_lowered_ = false;
  /// Agreed: what the longest work takes; 0: not known yet.
  double longest_ = 0;
  double longest_before_ = 0;
  /// The time of a period at the top clocks beyond the longest work: messages, and waiting for
  /// them.
  double rest_of_period_ = -1;
  double rest_noise_ = 0;
  /// Periods in a row that were not what they used to be.
  std::uint32_t odd_ = 0;
  bool changed_ = false;
  bool raised_ = false;
  /// Balance points in a row that must agree before a clock falls.
  std::uint32_t patience_ = 1;
  std::uint32_t calm_ = 0;
  /// The number of balance points there were when patience grew last, and one more.
  std::uint32_t grown_at_ = 0;
  /// The clocks that would have done at the last balance points, newest first.
  std::array<Hertz, kMostPatience> wanted_{};
  std::size_t wanted_count_ = 0;
  std::uint32_t beyond_in_a_row_ = 0;
  std::uint32_t self_balanced_ = 0;
};

}  // namespace huddle::balancing
