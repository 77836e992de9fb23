#pragma once

#include <cstdint>
#include <optional>

#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::launch {

/// The age of the batch script that this process was started by; nothing if it was started
/// by none, or that can't be found out. Reads /proc.
std::optional<Seconds> age_of_batch_script();

/// The outcome that the submission handed on; nothing if it did not. Throws FormatError if it was
/// tampered with.
std::optional<Outcome> promised_outcome();

/// The job as Slurm's variables in this process's environment describe it: cluster, job, array task
/// and nodes, with this moment as its start. What they lack stays empty or 0.
OutcomeRun run_of_this_job();

/// Nothing is recorded of the steps of a job from this number on: a job of very many short steps
/// would fill the store with files that nobody reads one by one.
inline constexpr std::uint32_t kMostRecordedSteps = 1000;

/// When the end of a step is recorded.
enum class RecordEnd : std::uint8_t {
  kWithProcess,  ///< when this process calls exit()
  kUnknown,      ///< never: this process does not learn how its ranks end
};

/// Writes the record of a step that begins now, `outcome` with its `run` and what that requires,
/// into the store that the submission named; and once more, with its end, when `end` says. Nothing
/// is written where the store has no folder for it (the submission made one if it could), nor of a
/// job's steps from kMostRecordedSteps on. Where the job follows a stored plan, a mark stays beside
/// the plan of each step that did not end well, or did not run the job's ranks
/// (unreviewed_runs.hpp); where the job has a claim, it gets the job's number (job_claim.hpp). What
/// goes wrong at the end is not reported: the record then stays without an end. A store that does
/// not answer holds the process up for half a second at its beginning and at its end, no longer.
/// This library stays loaded until then. To be called once in a process, which runs as the job's
/// user. Throws Error.
void begin_record(Outcome outcome, RecordEnd end = RecordEnd::kWithProcess);

}  // namespace huddle::launch
