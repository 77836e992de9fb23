#pragma once

#include <string>
#include <vector>

#include "profiles/formats/policy/policy.hpp"
#include "spank_plugin/submission/aggregate_option.hpp"

namespace huddle {

/// What holds for one job: what its user asks for, within what the site allows.
struct JobTerms {
  Mode mode = Mode::kOff;
  /// Whether the user asked for the mode; else it is the site's default.
  bool asked = false;
  /// Why the mode is not allowed to this job, for the user; else empty.
  std::string refusal;
  double slowdown = 0;
  Objective objective = Objective::kEnergy;
  std::uint32_t samples = 0;
  bool keep_nodes = false;
  std::uint32_t least_nodes = 1;
  /// Keep where the site does not let frequencies be set at all.
  FrequencyWish frequency;
  /// The site's: what the plan's frequencies are cut to.
  std::optional<FrequencyRange> frequency_limit;
  /// Whether the run is traced; in mode profile only.
  bool trace = false;
  /// What was asked for and is not done, or is cut to a limit: phrases for the user.
  std::vector<std::string> remarks;
};

/// `given`: whether the option was used, in whatever way. `policy` is the one for the submitter.
JobTerms agree_on_terms(const AggregateOption& option, bool given, const Policy& policy);

/// The plan's frequencies within the site's limit; a limit that leaves nothing, or that the range
/// lies outside of, is followed as near as can be: nothing is returned if there is none at all.
std::optional<FrequencyRange> within_limit(const FrequencyRange& range,
                                           const std::optional<FrequencyRange>& limit);

}  // namespace huddle
