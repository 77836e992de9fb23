#pragma once

#include <optional>
#include <vector>

#include "aggregator/waitstates/report/waitstates_output.hpp"
#include "aggregator/waitstates/criticalpath/activity_spool.hpp"
#include "aggregator/waitstates/page/wait_page.hpp"
#include "aggregator/waitstates/replay/exchange.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle {

/// What a run is studied for.
struct StudyRequest {
  bool critical_path = false;
  bool slack = false;
  std::vector<WhatIf> what_ifs;

  [[nodiscard]] bool anything() const { return critical_path || slack || !what_ifs.empty(); }
};

/// Studies what the analysis has put into `spool`. Collective; process 0 gets the study. Throws
/// what make_activity_log(), critical_path_of(), slack_of() and what_if() throw.
RunStudy study_of(ActivitySpool& spool, Exchange& exchange, const WaitReport& report,
                  const TraceDefinitions& definitions, const StudyRequest& request);

/// What the page shows of a study.
PageExtras page_extras_of(const RunStudy& study, const WaitReport& report);

}  // namespace huddle
