#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "profiles/vocabulary/pu_set.hpp"
#include "spank_plugin/frequency/frequency_reconciler.hpp"
#include "spank_plugin/frequency/journal.hpp"

namespace huddle {

/// The PUs of each policy, by cpufreq's number of it.
using PusByPolicy = std::map<std::uint32_t, PuSet>;

/// True if the claim is about any of these PUs.
bool any_claimed(const Claim& claim, const PuSet& pus);

/// Returns those of the clocks that keepers move that the claim has and no other step claims, with
/// the claim's own PUs. The claim of a job's script counts as none beside that of one of its steps.
std::vector<MovedClock> moved_for(const Claim& claim, const std::vector<Claim>& others,
                                  std::vector<MovedClock> clocks);

/// Lines for people: where PUs run at other limits than were asked for. What a claim with a keeper
/// asks for is the upper one. Precondition: `policies` has the policies of `limits`.
std::vector<std::string> differences(const PusByPolicy& policies,
                                     const std::map<std::uint32_t, ClockLimits>& limits,
                                     const Claim& asked);

}  // namespace huddle
