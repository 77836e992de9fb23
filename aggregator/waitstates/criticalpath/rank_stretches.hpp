#pragma once

// Internal to slack.

#include <cstdint>
#include <vector>

#include "aggregator/waitstates/criticalpath/activity_log.hpp"
#include "aggregator/waitstates/criticalpath/slack.hpp"

namespace huddle {

/// For each rank the factor that all of its computation may take longer by. `computation` and
/// `in_mpi`: ticks by rank, in_mpi without waiting. Also sets `stretched_run_time`, of a replay
/// with all ranks stretched. Throws SystemError.
std::vector<double> rank_stretches(const ActivityLog& log,
                                   const std::vector<std::uint64_t>& computation,
                                   const std::vector<std::uint64_t>& in_mpi,
                                   const SlackOptions& options, std::uint64_t& stretched_run_time);

}  // namespace huddle
