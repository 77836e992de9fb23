#pragma once

#include <vector>

#include "aggregator/efficiency/run_efficiency.hpp"

namespace huddle::efficiency {

/// The efficiency of each phase group; `thread_time` is that of all threads in the run.
std::vector<PhaseEfficiency> phase_efficiencies_of(const Profile& profile, Seconds thread_time);

}  // namespace huddle::efficiency
