#include "spank_plugin/frequency/claims.hpp"

#include <algorithm>

namespace huddle {
namespace {

void raise(std::optional<ClockLimits>& highest, const ClockLimits& limits) {
  highest = highest ? higher(*highest, limits) : limits;
}

// Whether a numbered step of the same job has a claim on the PU.
bool gives_way(const Claim& claim, const std::vector<Claim>& claims, std::uint32_t pu) {
  return claim.whole_job && std::any_of(claims.begin(), claims.end(), [&](const Claim& other) {
           return !other.whole_job && other.job == claim.job && other.limits.contains(pu);
         });
}

}  // namespace

std::optional<ClockLimits> wanted_limits(const std::vector<Claim>& claims, const PuSet& pus) {
  std::optional<ClockLimits> highest;
  for (const std::uint32_t pu : pus.members())
    for (const Claim& claim : claims) {
      const auto limits = claim.limits.find(pu);
      if (limits != claim.limits.end() && !gives_way(claim, claims, pu))
        raise(highest, limits->second);
    }
  return highest;
}

}  // namespace huddle
