#pragma once

// How the power of nodes is in an OTF2 archive: for each process that read sensors a location of
// metrics, for each sensor a metric instance.

#include <cstdint>
#include <string_view>

namespace huddle::traces {

/// In place of a thread's number.
inline constexpr std::uint32_t kPowerThread = 0x7fffffff;

/// What the metric's description says, by which readers know whose it is and that it adds up.
inline constexpr std::string_view kPowerDescription =
    "Huddle: mean power since the sample before; of its node's sensors none counts what another "
    "one does";

}  // namespace huddle::traces
