#include "spank_plugin/frequency/claimed_clocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace huddle {

bool any_claimed(const Claim& claim, const PuSet& pus) {
  const auto& members = pus.members();
  return std::any_of(members.begin(), members.end(),
                     [&](std::uint32_t pu) { return claim.limits.contains(pu); });
}

std::vector<MovedClock> moved_for(const Claim& claim, const std::vector<Claim>& others,
                                  std::vector<MovedClock> clocks) {
  std::erase_if(clocks, [&](const MovedClock& clock) {
    return !any_claimed(claim, clock.pus) ||
           std::any_of(others.begin(), others.end(), [&](const Claim& other) {
             const bool yields = other.whole_job && !claim.whole_job && other.job == claim.job;
             return !yields && any_claimed(other, clock.pus);
           });
  });
  for (MovedClock& clock : clocks) {
    PuSet own;
    for (const std::uint32_t pu : clock.pus.members())
      if (claim.limits.contains(pu)) own.add(pu);
    clock.pus = own;
  }
  return clocks;
}

std::vector<std::string> differences(const PusByPolicy& policies,
                                     const std::map<std::uint32_t, ClockLimits>& limits,
                                     const Claim& asked) {
  std::map<std::pair<ClockLimits, ClockLimits>, PuSet> differing;
  for (const auto& [number, of_policy] : limits)
    for (const std::uint32_t pu : policies.at(number).members()) {
      const auto wish = asked.limits.find(pu);
      if (wish == asked.limits.end()) continue;
      ClockLimits wished = wish->second;
      if (asked.keeper) wished.least_khz = of_policy.least_khz;
      if (wished != of_policy) differing[{wished, of_policy}].add(pu);
    }
  std::vector<std::string> lines;
  for (const auto& [pair, pus] : differing)
    lines.push_back(fmt::format("PUs {} run at {}, {} was asked for", pus.list(),
                                text_for_people(pair.second), text_for_people(pair.first)));
  return lines;
}

}  // namespace huddle
