#pragma once

// What sbatch, salloc and srun, and tasks before their programs start, do with files that may be on
// a file system which does not answer: never longer than a second. Then they go on without.

#include <filesystem>
#include <functional>
#include <string>

#include "profiles/formats/plan/plan.hpp"

namespace huddle {

/// Does `work` on files below `place`. Throws what `work` throws, as an Error, and Error if it
/// takes longer than a second; then it may still happen later.
void with_files(const std::filesystem::path& place, const std::function<void()>& work);

/// The same for work that gives a text.
std::string text_with_files(const std::filesystem::path& place,
                            const std::function<std::string()>& work);

/// Reads a plan. Throws as load_plan() and with_files() do.
Plan load_plan_in_time(const std::filesystem::path& file);

}  // namespace huddle
