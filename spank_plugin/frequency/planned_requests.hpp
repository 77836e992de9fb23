#pragma once

#include <string>
#include <vector>

#include "profiles/formats/plan/plan.hpp"
#include "spank_plugin/frequency/clock_limits.hpp"

namespace huddle {

/// HUDDLE_FREQUENCY for a step that runs by a plan: rank r, at `placement[r]`, at `by_rank[r]`,
/// moved into `allowed`. Where all ranks get the same, one entry for the step; else one for each
/// run of ranks that share node and frequency. What would be longer than `most_bytes` becomes one
/// entry with the highest. The arrays have the same size, at least 1.
std::string planned_requests(const std::vector<RankPlace>& placement,
                             const std::vector<Hertz>& by_rank, const ClockLimits& allowed,
                             std::size_t most_bytes);

}  // namespace huddle
