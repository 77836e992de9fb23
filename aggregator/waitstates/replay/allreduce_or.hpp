#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/waitstates/replay/exchange.hpp"

namespace huddle {

/// What any process says, place by place. Collective; all give as many, and no place is said of by
/// two.
void unite(Exchange& exchange, std::vector<bool>& said);

}  // namespace huddle
