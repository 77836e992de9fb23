#pragma once

#include <vector>

#include "aggregator/communication/communication_time.hpp"

namespace huddle {

/// The time of a program's collectives on a placement, as communication_time() has it.
Seconds collective_time(const Profile& profile, const CommunicationTable& table,
                        const std::vector<Location>& locations);

}  // namespace huddle
