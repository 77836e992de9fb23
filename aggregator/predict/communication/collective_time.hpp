#pragma once

#include <vector>

#include "aggregator/predict/communication/communication_time.hpp"

namespace huddle {

/// The time that each entry of each rank record's collectives takes on a placement, all its calls
/// together, in the record's order; as communication_time() has it. 0 where nobody else takes part.
std::vector<std::vector<Seconds>> collective_times(const Profile& profile,
                                                   const CommunicationTable& table,
                                                   const std::vector<Location>& locations);

/// The time of a program's collectives on a placement, as communication_time() has it.
Seconds collective_time(const Profile& profile, const CommunicationTable& table,
                        const std::vector<Location>& locations);

}  // namespace huddle
