#pragma once

#include <functional>
#include <string>
#include <vector>

#include "aggregator/operations/doctor/finding.hpp"
#include "profiles/formats/policy/policy.hpp"

namespace huddle::doctor {

using OutputOf = std::function<std::string(const std::vector<std::string>& command)>;

/// For each MPI that the linker finds here, whether its recorder is there and can be loaded.
std::vector<Finding> check_recorders(const Policy& policy, const OutputOf& output_of);

/// Whether the library that lets mpirun follow a plan is there.
Finding check_mpirun_helper(const Policy& policy);

}  // namespace huddle::doctor
