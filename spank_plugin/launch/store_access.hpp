#pragma once

// Work of sbatch, salloc and srun, and of tasks before their programs start, on files that may be
// on a file system which does not answer: no longer than a second from when the process that asks
// it has begun, however busy the machine is. Then they go on without.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "profiles/formats/plan/plan.hpp"

namespace huddle::launch {

/// Does `work` on files below `place`. Throws what `work` throws, as an Error, and Error if it
/// takes longer than a second; then it may still happen later.
void with_files(const std::filesystem::path& place, const std::function<void()>& work);

/// The same for work that gives a text.
std::string text_with_files(const std::filesystem::path& place,
                            const std::function<std::string()>& work);

/// Why ranks that keep a profile in the store at `root` might never end: it takes no changes now.
/// `promised` is the job's kOutcomeWord, which says where in the store. Empty if it answers
/// within a second, whatever it answers, or if either is absent. Throws FormatError if `promised`
/// is no outcome.
std::string why_store_is_silent(const std::optional<std::string>& root,
                                const std::optional<std::string>& promised);

/// Reads a plan. Throws as load_plan() and with_files() do.
Plan load_plan_in_time(const std::filesystem::path& file);

}  // namespace huddle::launch
