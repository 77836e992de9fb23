#pragma once

#include <vector>

#include "aggregator/predict/communication/message_table.hpp"
#include "aggregator/predict/pattern/location.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// The time of a program's point-to-point messages on a placement, as communication_time() has it.
Seconds message_time(const Profile& profile, const MessageTable& table,
                     const std::vector<Location>& locations);

/// By rank: how long the messages that it received from other ranks take one after the other, as
/// communication_time() has it.
std::vector<Seconds> receiving_times(const Profile& profile, const MessageTable& table,
                                     const std::vector<Location>& locations);

}  // namespace huddle
