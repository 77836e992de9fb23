#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace huddle::processes {

/// Within what time a submission must be answered.
inline constexpr std::chrono::seconds kPlanTimeLimit{2};

/// Runs `program plan ARGUMENT...` with `request` on its standard input, and returns what it
/// prints. It sees little of this process's environment: a job's LD_LIBRARY_PATH, LD_PRELOAD or
/// LANG must not decide how it runs. Throws Error if it takes longer than `time_limit` or fails,
/// SystemError if it can't be started.
std::string output_of_planner(const std::string& program, const std::vector<std::string>& arguments,
                              std::string_view request,
                              std::chrono::milliseconds time_limit = kPlanTimeLimit);

}  // namespace huddle::processes
