#pragma once

// Internal to the model document: words that its reader and its writer share.

#include <array>
#include <string_view>

#include "profiles/formats/model/model.hpp"

namespace huddle {

inline constexpr std::array<std::string_view, 5> kModelShapeNames = {
    "roofline", "serial", "overlap", "queueing", "power"};
inline constexpr std::array<std::string_view, kModelMachineParameters> kModelMachineNames = {
    "log_package_share", "log_node_share", "cache_curve",    "log_overlap",    "log_queueing",
    "log_miss_time_s",   "log_die_share",  "log_numa_share", "log_thread_cost"};

/// Parameters that a file may lack, and what they are then: paths to memory of dies and NUMA nodes
/// that never limit, and two ranks on a core that get done 1.25 times as much as one.
struct OptionalParameter {
  std::string_view name;
  double value = 0;
};
inline constexpr std::array<OptionalParameter, 3> kOptionalModelParameters = {
    {{"log_die_share", -9}, {"log_numa_share", -9}, {"log_thread_cost", -0.51}}};

}  // namespace huddle
