#pragma once

#include <cstdint>

#include "profiles/traces/event.hpp"

namespace huddle {

/// How members of an OTF2_CollectiveOp wait for each other; kOther for numbers that OTF2 3.0 does
/// not know.
Collective collective_of(std::uint8_t otf2_operation);

}  // namespace huddle
