#pragma once

#include <optional>

#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/store/store.hpp"

namespace huddle {

/// Hands on to the job what its records shall say: sets kOutcomeVariable and kOutcomeStoreVariable
/// of this process. To be called while there is one thread. Throws SystemError.
void promise_outcome(const Outcome& outcome, const Store& store);

/// What the submission handed on; nothing if it did not. Throws FormatError if it was tampered
/// with.
std::optional<Outcome> promised_outcome();

/// What Slurm's variables in this process's environment tell of the job: cluster, job, array task,
/// its nodes, and the moment that it is as start. What they do not tell stays empty or 0.
OutcomeRun run_of_this_job();

/// Writes the record of a step that begins now, `outcome` with its `run` and what that requires,
/// into the store that the submission named; and once more, with its end, when this process calls
/// exit(), whatever its status. Nothing is written where the store has no folder for it (the
/// submission made one if it could), nor of a job's steps beyond the first thousand. What goes
/// wrong at the end is not told: the record then stays without an end. This library stays loaded
/// from then on. To be called once in a process, which runs as the job's user. Throws Error.
void begin_record(Outcome outcome);

}  // namespace huddle
