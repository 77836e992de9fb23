#pragma once

#include <optional>
#include <vector>

#include "profiles/vocabulary/pu_set.hpp"
#include "spank_plugin/frequency/clock_limits.hpp"
#include "spank_plugin/frequency/journal.hpp"

namespace huddle {

/// What the claims want of one clock that `pus` share; nothing if none of them is claimed. On a PU
/// the claims of a job's numbered steps come before that of its script or shell; among several
/// claims that are left, and among the PUs, the highest holds.
std::optional<ClockLimits> wanted_limits(const std::vector<Claim>& claims, const PuSet& pus);

}  // namespace huddle
