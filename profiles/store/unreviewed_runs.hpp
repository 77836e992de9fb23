#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// Marks beside a stored plan: a job that follows the plan leaves one for each of its steps when it
// begins, and removes it when it ends well. What stays names a run that somebody must look at
// before the plan is followed again. A mark holds the name of the step's record in the same folder.
namespace huddle {

/// The mark of that plan for the step, "123.0" or "123.batch".
inline std::filesystem::path unreviewed_run_path(const std::filesystem::path& plan,
                                                 std::string_view step) {
  return plan.parent_path() / (plan.stem().string() + ".run-" + std::string(step));
}

/// The plan's marks, by name. Throws SystemError.
std::vector<std::filesystem::path> unreviewed_runs(const std::filesystem::path& plan);

}  // namespace huddle
