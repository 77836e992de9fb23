#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "aggregator/balance/balance_simulation.hpp"
#include "aggregator/balance/load_table.hpp"

namespace huddle::balancing {

/// The paper's machine: 14 levels from 1.2 to 2.4 GHz; a socket draws 20 W, and 6 W more at 2.4 GHz
/// while it computes, which follow the third power of the clock, and 60 % of that while it waits.
balance::BalancedMachine published_machine();

/// The paper's program: 200 chares that take 5 to 800 ms each, drawn evenly, in blocks on 24
/// processors; 250 steps.
balance::LoadTable published_loads(std::uint64_t seed);

/// A rank each, whose loads per iteration `load` gives in seconds.
balance::LoadTable rank_loads(
    std::uint32_t ranks, std::size_t iterations,
    const std::function<double(std::size_t iteration, std::uint32_t rank)>& load);

/// The published equation (1) taken literally, for comparison: current load over current frequency
/// is the weighted load, whose ratio chooses the next clock, beyond f_max / f_min nothing is done.
/// Every interval.
balance::BalanceOutcome literal_energylb(const balance::LoadTable& table,
                                         const balance::BalancedMachine& machine,
                                         std::uint32_t interval);

}  // namespace huddle::balancing
