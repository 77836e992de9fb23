#pragma once

// Internal to the model document: words that its reader and its writer share.

#include <array>
#include <string_view>

#include "profiles/formats/model/model.hpp"

namespace huddle {

inline constexpr std::array<std::string_view, 5> kModelShapeNames = {
    "roofline", "serial", "overlap", "queueing", "power"};
inline constexpr std::array<std::string_view, kModelMachineParameters> kModelMachineNames = {
    "log_package_share", "log_node_share",  "cache_curve",  "log_overlap",
    "log_queueing",      "log_miss_time_s", "log_die_share"};

/// Of log_die_share in files that lack it: a die's path to memory never limits it.
inline constexpr double kModelWidePath = -9;

}  // namespace huddle
