#pragma once

#include <string>
#include <vector>

#include "profiles/vocabulary/pu_set.hpp"
#include "spank_plugin/clocks/step_tasks.hpp"
#include "spank_plugin/frequency/frequency_control.hpp"
#include "spank_plugin/frequency/journal.hpp"

namespace huddle::clocks {

/// The facts that the watcher of a step sees at one moment.
struct StepSight {
  /// True if the slurmstepd lives.
  bool alive = true;
  StepActivity activity = StepActivity::kStarting;
  /// True if Huddle is switched off on this site.
  bool switched_off = false;
  /// True if the keeper of the step's clocks lives; without meaning if the claim has none.
  bool kept = true;
};

/// Decides when the clocks of a limited step are put back and when they are limited again: a step
/// that is suspended, or whose tasks have ended, or that has died has no limits, nor has any while
/// Huddle is switched off. What can't be put back at once, or not entered in the journal, is tried
/// again for a while. Where the keeper of a step has died, its clocks get the top of its limits.
/// Where tasks have ended slurmstepd gets until the next look to do it itself. One thread.
class StepWatch {
 public:
  /// The claim is slurmstepd's own and has been made, or will be. Keeps a reference to `control`.
  StepWatch(frequency::FrequencyControl& control, frequency::Claim claim, PuSet allocated);

  /// Acts on what is seen. Returns lines for the log.
  std::vector<std::string> look(const StepSight& sight);
  /// True if the step is over and nothing is left to be done.
  [[nodiscard]] bool over() const { return over_; }

 private:
  void put_back(std::vector<std::string>& lines);
  void do_without_keeper(std::vector<std::string>& lines);

  frequency::FrequencyControl& control_;
  frequency::Claim claim_;
  PuSet allocated_;
  bool limited_ = true;
  bool ended_before_ = false;
  /// True once the journal has had the claim: slurmstepd may have found nothing to limit.
  bool claimed_ = false;
  int tries_left_ = 0;
  /// The same for the clocks of a keeper that has died.
  int keeper_tries_left_ = 0;
  bool over_ = false;
};

}  // namespace huddle::clocks
