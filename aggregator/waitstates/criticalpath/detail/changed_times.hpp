#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/waitstates/criticalpath/detail/log_replay.hpp"
#include "aggregator/waitstates/criticalpath/slack.hpp"
#include "aggregator/waitstates/criticalpath/what_if.hpp"

namespace huddle::waitstates {

/// Computation as a what-if changes it: how long each takes, and at which power state.
class ChangedTimes final : public ComputationTimes {
 public:
  struct Speed {
    double stretch = 1;
    std::uint32_t state = 0;  ///< of the power states
    bool changed = false;
    friend bool operator==(const Speed&, const Speed&) = default;
  };

  /// Nothing changed.
  ChangedTimes(const ActivityLog& log, const PowerStates& power);
  /// With the changes of `request`. `slack` as for what_if(). Throws UsageError.
  ChangedTimes(const ActivityLog& log, const WhatIf& request, const PowerStates& power,
               const SlackReport* slack);

  [[nodiscard]] std::uint64_t ticks(std::uint32_t rank, std::uint64_t activity,
                                    std::uint64_t measured) const override;
  [[nodiscard]] const Speed& speed(std::uint32_t rank, std::uint64_t activity) const;
  /// Whether the state has to be set before this computation. Not before a rank's first one: that
  /// is set before it begins.
  [[nodiscard]] bool switches(std::uint32_t rank, std::uint64_t activity) const;
  /// By rank; of all its computation, where that is by slack.
  [[nodiscard]] const std::vector<std::uint32_t>& states_by_slack() const {
    return states_by_slack_;
  }

 private:
  void set_by_slack(const PowerStates& power, const SlackReport& slack);
  void set_by_changes(const WhatIf& request, const PowerStates& power);

  const ActivityLog& log_;
  /// A row for each set of ranks that are changed alike, in it a speed for each call path and,
  /// last, for what is outside of all.
  std::vector<std::vector<Speed>> rows_;
  std::vector<std::uint32_t> row_of_;            // by rank
  std::vector<std::uint64_t> transition_ticks_;  // by power state
  std::vector<std::uint32_t> states_by_slack_;
};

/// Whether `name` fits `pattern`, where * stands for any characters and ? for one.
bool fits_pattern(std::string_view name, std::string_view pattern);

}  // namespace huddle::waitstates
