#pragma once

#include "aggregator/waitstates/criticalpath/slack.hpp"
#include "aggregator/waitstates/replay/wait_report.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// `profile` with what an analysis of a trace of the same program told: what each rank waited, by
/// pattern, and its slack. What was there of another analysis is replaced. Throws Error if the
/// profile is of another number of ranks than the trace, or not complete.
Profile with_wait_states(Profile profile, const WaitReport& report, const SlackReport& slack);

}  // namespace huddle
