#pragma once

// Efficiencies for programs: docs/formats/efficiency.md.

#include <nlohmann/json.hpp>
#include <string>

#include "aggregator/efficiency/busiest_pair.hpp"
#include "aggregator/efficiency/counter_rates.hpp"
#include "aggregator/efficiency/run_efficiency.hpp"
#include "aggregator/efficiency/scaling.hpp"

namespace huddle::efficiency {

nlohmann::ordered_json efficiency_json(const RunEfficiency& run, const CounterRates& rates,
                                       const std::optional<BusiestPair>& pair);

nlohmann::ordered_json scaling_json(const Scaling& scaling);

}  // namespace huddle::efficiency
