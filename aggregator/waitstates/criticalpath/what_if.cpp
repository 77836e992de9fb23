#include "aggregator/waitstates/criticalpath/what_if.hpp"

#include <cmath>

#include "aggregator/waitstates/criticalpath/detail/changed_times.hpp"
#include "aggregator/waitstates/criticalpath/detail/log_replay.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/frequency.hpp"

namespace huddle::waitstates {
namespace {

// Adds up a replay: by rank for the outcome, by power state for the energy.
class Account final : public ReplayListener {
 public:
  Account(const ActivityLog& log, const ChangedTimes& times, const PowerStates& power)
      : log_(log),
        times_(times),
        power_(power),
        sets_up_(paths_of_set_up(log)),
        ranks_(log.ranks()),
        by_state_(power.states.size()) {}

  void computed(std::uint32_t rank, std::uint64_t activity, std::uint64_t ticks) override {
    const ChangedTimes::Speed& speed = times_.speed(rank, activity);
    ranks_[rank].computation += ticks;
    by_state_[speed.state].busy += ticks;
    if (times_.switches(rank, activity)) ++by_state_[speed.state].switches;
    if (speed.changed) touched_ += log_.computation_before(rank, activity);
  }
  // Who waits does so at the clock that was set for the computation before.
  void communicated(std::uint32_t rank, std::uint64_t activity, std::uint64_t waiting,
                    std::uint64_t transfer) override {
    const std::uint32_t path = log_[activity].call_path;
    if (path < sets_up_.size() && sets_up_[path]) {
      ranks_[rank].set_up += waiting + transfer;
      return;
    }
    ranks_[rank].waiting += waiting;
    ranks_[rank].transfer += transfer;
    by_state_[0].busy += transfer;
    by_state_[times_.speed(rank, activity).state].waiting += waiting;
  }

  WhatIfOutcome outcome(const Replay& replay) {
    WhatIfOutcome outcome;
    outcome.run_time = replay.run_time();
    for (std::uint32_t rank = 0; rank < log_.ranks(); ++rank) {
      if (replay.end_of(rank) == replay.run_time()) outcome.set_up = ranks_[rank].set_up;
      ranks_[rank].outside = log_.begin_of(rank) + replay.run_time() - replay.end_of(rank);
      outside_ += ranks_[rank].outside;
    }
    outcome.ranks = std::move(ranks_);
    outcome.energy = energy();
    outcome.states = times_.states_by_slack();
    return outcome;
  }
  [[nodiscard]] std::uint64_t touched() const { return touched_; }

 private:
  struct State {
    std::uint64_t busy = 0;  // ticks
    std::uint64_t waiting = 0;
    std::uint64_t switches = 0;
  };

  [[nodiscard]] std::int64_t nanojoules(double watts, std::uint64_t ticks) const {
    return std::llround(watts * static_cast<double>(ticks) / log_.ticks_per_second() * 1e9);
  }

  [[nodiscard]] ReplayedEnergy energy() const {
    ReplayedEnergy sum;
    for (std::size_t i = 0; i < by_state_.size(); ++i) {
      const PowerState& state = power_.states[i];
      const State& times = by_state_[i];
      const std::int64_t both =
          nanojoules(state.active_w, times.busy) +
          std::llround(state.transition_j * static_cast<double>(times.switches) * 1e9);
      sum.busy_nj += both + nanojoules(state.active_w, times.waiting);
      sum.idle_nj += both + nanojoules(state.idle_w, times.waiting);
    }
    const std::int64_t outside = nanojoules(power_.states[0].idle_w, outside_);
    return {sum.busy_nj + outside, sum.idle_nj + outside};
  }

  const ActivityLog& log_;
  const ChangedTimes& times_;
  const PowerStates& power_;
  std::vector<bool> sets_up_;  // by call path
  std::vector<ReplayedRank> ranks_;
  std::vector<State> by_state_;
  std::uint64_t outside_ = 0;
  std::uint64_t touched_ = 0;
};

}  // namespace

std::optional<Hertz> frequency_of(const PowerState& state) {
  return parse_frequency(state.name);
}

WhatIfReport what_if(const ActivityLog& log, const WhatIf& request, const PowerStates& power,
                     const SlackReport* slack) {
  if (power.states.empty()) throw Error("what if: there is no power state");
  WhatIfReport report;
  report.request = request;
  report.measured_run_time = log.run_time();
  const ChangedTimes changed(log, request, power, slack);  // first: it may refuse
  {
    const ChangedTimes unchanged(log, power);
    Account account(log, unchanged, power);
    const Replay replay(log, unchanged, &account);
    report.unchanged = account.outcome(replay);
  }
  Account account(log, changed, power);
  const Replay replay(log, changed, &account);
  report.changed = account.outcome(replay);
  report.touched = account.touched();
  report.circles = replay.circles();
  return report;
}

}  // namespace huddle::waitstates
