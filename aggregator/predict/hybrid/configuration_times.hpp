#pragma once

#include <memory>
#include <span>
#include <vector>

#include "aggregator/hybrid/team_program.hpp"
#include "aggregator/predict/hybrid/phase_samples.hpp"
#include "aggregator/predict/hybrid/target_model.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::predict {

/// The mean time of one pass through a phase, and where it lies in 90 % of cases: what is known of
/// similar phases and of the samples' noise allows no narrower interval. 0 < low <= time <= high.
struct TeamTime {
  Seconds time;
  Seconds low;
  Seconds high;

  friend bool operator==(const TeamTime&, const TeamTime&) = default;
};

/// Predicts the times of phases on configurations that were not run, for one type of node. Cheap to
/// copy; const functions may be called by several threads at a time.
class ConfigurationTimes {
 public:
  /// Knows nothing of programs: assumes a wide range of serial parts, barriers, shares of caches
  /// and flows to memory, keeps what agrees with the samples, and has wide intervals. Works with
  /// one sample or more.
  static ConfigurationTimes without_training(const hybrid::TeamNode& node);

  /// Learns from phases of several programs that were run on samples and targets alike: equations
  /// (7) and (8) of Li et al., "Hybrid MPI/OpenMP Power-Aware Computing", by a TimesMethod.
  /// `samples` are
  /// the configurations that later phases will have been measured on, in that order. Phases that
  /// lack one of them teach nothing, and targets that fewer than three programs or ten phases have
  /// are as without training. Throws UsageError if phases differ in how many event rates they have.
  static ConfigurationTimes trained(const hybrid::TeamNode& node,
                                    std::span<const PhaseSamples> phases,
                                    std::vector<hybrid::TeamConfiguration> samples,
                                    TimesMethod method = TimesMethod::kCombined);

  /// For one region of one rank as measured: times for each target, in their order. A target that
  /// was measured gets what was measured. Where `measured` lacks a sample that training had, or
  /// events, or training lacked the target, the answer is that without training. There is a sample
  /// at least, and all figures are finite and above 0.
  [[nodiscard]] std::vector<TeamTime> predict(
      const PhaseSamples& measured, std::span<const hybrid::TeamConfiguration> targets) const;

 private:
  struct Knowledge;
  explicit ConfigurationTimes(std::shared_ptr<const Knowledge> knowledge);

  std::shared_ptr<const Knowledge> knowledge_;
};

}  // namespace huddle::predict
