#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/forecast/candidate_configurations.hpp"
#include "aggregator/forecast/program_forecast.hpp"
#include "profiles/formats/policy/policy_words.hpp"

namespace huddle {

struct BestOptions {
  Objective objective = Objective::kEnergy;
  /// The largest slowdown over the reference, of 1; absent: any.
  std::optional<double> most_slowdown = 0.05;
  /// Whether the whole interval of a time must be within the bound, not just the likeliest time.
  bool certain = false;
  /// What slowdown is measured against; absent: the fastest candidate.
  std::optional<Configuration> reference = {};
  /// What was asked explicitly: candidates may be beyond what was measured in that.
  AskedFactors asked = {};
};

/// A configuration that was considered.
struct BestCandidate {
  ForecastAt forecast;
  /// Energy x time, in J s; from the ends of both intervals. Absent without energy or time.
  std::optional<Estimate> edp_js;
  /// Time over the reference's, minus 1; absent without times.
  std::optional<double> slowdown;
  /// Whether it may be chosen, and if not, why, for people.
  bool feasible = true;
  std::string why_not;
  /// Not the chosen one, but its interval of the objective meets that of the chosen one: it can't
  /// be told which is better.
  bool alike = false;
};

struct BestConfiguration {
  Objective objective = Objective::kEnergy;
  std::optional<BestCandidate> reference;  ///< absent without times, unless it was given
  /// Best first; those that are not feasible behind the others. Equal ones as they were given.
  std::vector<BestCandidate> candidates;
  /// Candidates that are not among those, since they are beyond what was measured without having
  /// been asked for.
  std::size_t left_out = 0;
  /// One sentence each, for people: what to trust less, and why.
  std::vector<std::string> remarks;

  /// Null if no candidate is feasible.
  [[nodiscard]] const BestCandidate* chosen() const;
};

/// What the objective is least of; absent if it is not known.
std::optional<Estimate> objective_of(const BestCandidate& candidate, Objective objective);

/// Chooses among `candidates`, all of one size, what the objective says within the bound of
/// slowdown; of equal ones the first. The reference is always within the bound. Throws UsageError
/// if the forecast does not know what the objective or the bound needs, with what to do instead, or
/// if there is no candidate.
BestConfiguration best_configuration(
    const std::vector<Configuration>& candidates,
    const std::function<ForecastAt(const Configuration&)>& forecast, const BestOptions& options);

}  // namespace huddle
