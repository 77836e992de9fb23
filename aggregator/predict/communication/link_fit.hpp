#pragma once

#include <optional>
#include <vector>

#include "profiles/formats/machine/machine.hpp"

namespace huddle {

/// Latency and bandwidth that come nearest to these times of messages (one or more sizes): the sum
/// of squared relative errors is least, so that small and large messages count alike. Nothing if
/// the times do not grow with the size, or take no time without it. The origin is that of the first
/// one.
std::optional<LinkTime> fitted_link(const std::vector<TimeOfSize>& times);

}  // namespace huddle
