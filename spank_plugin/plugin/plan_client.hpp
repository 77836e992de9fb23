#pragma once

#include <string>

#include "profiles/formats/plan/decision.hpp"
#include "spank_plugin/plugin/submitted_job.hpp"

namespace huddle {

/// Asks `huddle plan`, a child of this process, what to do with the job. Throws Error if it does
/// not answer in time, fails, or says something that is no decision.
Decision ask_for_decision(const SubmittedJob& job);

/// The same for people: the table of patterns and a sentence. Throws Error.
std::string ask_for_table(const SubmittedJob& job);

/// What the job's own plan (`plan=FILE`) says, checked against the job and the site's limits.
/// Throws Error if it can't be read, is for another job, or is beyond a limit.
Decision decision_of_own_plan(const SubmittedJob& job);

}  // namespace huddle
