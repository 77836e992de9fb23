#pragma once

#include <cstdint>

#include "profiles/balancing/clock_steps.hpp"
#include "spank_plugin/charm/energy_strategy.hpp"

namespace huddle::charm {

/// The paper's clocks: 14 from 1.2 to 2.4 GHz.
balancing::ClockSteps published_steps();

/// The paper's program: 200 chares of 5 to 800 ms on 24 PEs, in blocks.
ChareLoads published_chares(std::uint64_t seed);

/// The loads of the next interval, if the same work is done at the clocks and places decided.
ChareLoads next_interval(const ChareLoads& loads, const EnergyDecision& decision,
                         const balancing::ClockSteps& steps);

/// The time of the PE that takes longest, in s.
double longest_pe(const ChareLoads& loads);

}  // namespace huddle::charm
