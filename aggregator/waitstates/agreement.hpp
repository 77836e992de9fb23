#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/waitstates/exchange.hpp"

namespace huddle {

/// The least of all processes' values. Collective.
std::uint64_t least_of_all(Exchange& exchange, std::uint64_t value);

/// What any process says, place by place. Collective; all give as many, and no place is said of by
/// two.
void unite(Exchange& exchange, std::vector<bool>& said);

}  // namespace huddle
