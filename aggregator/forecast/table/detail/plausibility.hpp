#pragma once

// Figures of whole tables that no machine has, which mostly are wrong units.

#include <string>
#include <vector>

#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle::forecast {

/// A sentence, for people, if the power of more than one row in twenty is below 1 mW for each core
/// that it used, or above 10 kW for each node; empty if not. Where no column tells the nodes, each
/// process may have had one of its own. Rows without energy or time don't count.
std::string doubt_of_power(const MeasurementTable& table);

}  // namespace huddle::forecast
