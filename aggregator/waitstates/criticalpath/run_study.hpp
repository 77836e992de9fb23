#pragma once

#include <optional>
#include <vector>

#include "aggregator/waitstates/criticalpath/activity_buffer.hpp"
#include "aggregator/waitstates/criticalpath/critical_path.hpp"
#include "aggregator/waitstates/criticalpath/delays.hpp"
#include "aggregator/waitstates/criticalpath/slack.hpp"
#include "aggregator/waitstates/criticalpath/trace_efficiency.hpp"
#include "aggregator/waitstates/criticalpath/what_if.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::waitstates {

/// What a run is studied for, beyond its waiting.
struct StudyRequest {
  bool critical_path = false;
  bool slack = false;
  bool delays = false;
  bool efficiency = false;
  std::vector<WhatIf> what_ifs;

  [[nodiscard]] bool anything() const {
    return critical_path || slack || delays || efficiency || !what_ifs.empty();
  }
};

/// The answers; parts that were not requested are absent.
struct RunStudy {
  std::optional<CriticalPath> critical_path;
  std::optional<SlackReport> slack;
  std::optional<DelayReport> delays;
  std::optional<TraceEfficiency> efficiency;
  std::vector<WhatIfReport> what_ifs;
};

/// Studies what the analysis has put into `buffer`. Throws what make_activity_log(),
/// critical_path_of(), slack_of(), delays_of(), trace_efficiency_of() and what_if() throw.
RunStudy study_of(ActivityBuffer buffer, const WaitReport& report,
                  const traces::TraceDefinitions& definitions, const StudyRequest& request);

/// `profile` with the findings of an analysis of a trace of the same program: each rank's waiting
/// by pattern, and its slack. They replace those of an earlier analysis. Throws Error if the
/// profile has another number of ranks than the trace, or is not complete.
Profile with_wait_states(Profile profile, const WaitReport& report, const SlackReport& slack);

}  // namespace huddle::waitstates
