#pragma once

#include <chrono>
#include <filesystem>

// A plan that no job has followed yet may be wrong. So one job tries it, and others that are
// submitted before that one has ended run as submitted. A file beside the plan says that a job has
// the place: nothing shows that it is still there (it may wait, or have been cancelled), so the
// place is free again after a while.
namespace huddle {

/// Why a job whose plan another one tries first is left as submitted.
inline constexpr const char* kFirstRunIsTaken =
    "the first job that its plan packs has not ended yet; until then others are not";

/// For how long a job that has not begun keeps the place.
inline constexpr std::chrono::hours kFirstRunPatience{6};

/// Whether the caller's job may be the first that follows the plan: nobody has the place, or who
/// had it let kFirstRunPatience pass without beginning (unreviewed_runs.hpp). Of several that ask
/// at once, one may. Throws SystemError.
bool claim_first_run(const std::filesystem::path& plan, std::chrono::system_clock::time_point now);

/// Whether another job has the place. Changes nothing; false if that can't be found out.
bool first_run_is_claimed(const std::filesystem::path& plan,
                          std::chrono::system_clock::time_point now);

/// Gives the place back: the job came to nothing that says how good the plan is.
void release_first_run(const std::filesystem::path& plan) noexcept;

}  // namespace huddle
