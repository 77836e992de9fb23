#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/study/contention_draws.hpp"
#include "aggregator/study/job_shape.hpp"
#include "aggregator/study/node_size.hpp"

namespace huddle::study {

/// Number of draws. 5 % and 95 % of them are whole numbers of draws beside the truth, which is one
/// more of their kind.
inline constexpr std::uint32_t kDraws = 400;

/// Number of nodes that a job of this shape would have within the bound, and the share of its
/// node-hours that it would take: 1 and more nodes, up to as many as it has, where the share is 1.
/// `fewest`: by cores and memory.
double share_of_node_hours(const JobShape& shape, std::uint32_t fewest, const NodeSize& node,
                           ProgramContention& contention, double bound);

}  // namespace huddle::study
