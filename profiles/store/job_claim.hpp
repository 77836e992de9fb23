#pragma once

// One job does what several must not do at once: it follows a plan that nobody has followed yet, or
// is measured. A file says which job has the place. The submission makes it, before the job has a
// number; the job adds its number when its first step begins. The place is free once the job is
// over, whatever it leaves: Slurm can be asked for that
// (aggregator/planning/detail/store/job_state.hpp).
// Marks beside a stored plan: a job that follows the plan leaves one for each of its steps when it
// begins, and removes it when it ends well. What stays names a run that somebody must look at
// before the plan is followed again. A mark holds the name of the step's record in the same folder.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/processes/process_identity.hpp"
#include "profiles/vocabulary/utc_time.hpp"

namespace huddle::store {

/// Why a job whose plan another one tries first is left as submitted.
inline constexpr const char* kFirstRunIsTaken =
    "the first job that its plan packs has not ended yet; until then others are not";
/// Why a job is not measured that another one is being measured for.
inline constexpr const char* kRunIsBeingMeasured =
    "a job of its kind is being measured and has not ended yet; until then others are not";

/// Who has the place.
struct JobClaim {
  /// The number of the job; 0: it has begun no step that says so.
  std::uint64_t job = 0;
  /// The process that submits, or has submitted, the job.
  std::string host;
  processes::ProcessIdentity process;
  UtcTime made;
  /// The job's name for Slurm, which may be shared with others; empty: none.
  std::string job_name;

  /// Tells the claim from others of its place: one word.
  [[nodiscard]] std::string token() const;
};

/// Where the claim is kept that belongs to a plan, or to the layout of a measured run.
std::filesystem::path claim_beside(const std::filesystem::path& plan);

/// A claim of this process for the job that it is about to submit under that name. Throws Error.
JobClaim claim_of_this_process(const std::string& job_name);

/// Takes the place. False if somebody has it: of several that ask at once, one gets it. Throws
/// SystemError.
bool take_claim(const std::filesystem::path& file, const JobClaim& claim);

/// Who has the place; nothing if nobody has. A file that holds something else is a claim of an
/// unknown process, made when the file was written. Throws SystemError.
std::optional<JobClaim> read_claim(const std::filesystem::path& file);

/// Adds the job's number to its claim, if it is still there: `token` is that of the claim. Throws
/// SystemError.
void name_claim(const std::filesystem::path& file, const std::string& token, std::uint64_t job);

/// Frees the place if it is still that claim's. Any failure leaves it as it is.
void end_claim(const std::filesystem::path& file, const JobClaim& claim) noexcept;

/// Tells if the process that submits the job is alive; nothing if it is, or was, on another host.
std::optional<bool> is_being_submitted(const JobClaim& claim);

/// The mark of that plan for the step, "123.0" or "123.batch".
inline std::filesystem::path unreviewed_run_path(const std::filesystem::path& plan,
                                                 std::string_view step) {
  return plan.parent_path() / (plan.stem().string() + ".run-" + std::string(step));
}

/// The plan's marks, by name. Throws SystemError.
std::vector<std::filesystem::path> unreviewed_runs(const std::filesystem::path& plan);

}  // namespace huddle::store
