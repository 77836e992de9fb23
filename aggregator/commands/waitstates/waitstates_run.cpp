#include "aggregator/commands/waitstates/waitstates_run.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "aggregator/commands/common/machine_on_file.hpp"
#include "aggregator/render/output.hpp"
#include "aggregator/commands/waitstates/run_study.hpp"
#include "aggregator/waitstates/report/run_study_output.hpp"
#include "aggregator/waitstates/criticalpath/waiting_in_profile.hpp"
#include "aggregator/waitstates/page/wait_page.hpp"
#include "aggregator/waitstates/replay/analysis.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle {
namespace {

constexpr const char* kAssumedMachine = "xeon-x5560";

PowerStates power_from(const WaitstatesOptions& options) {
  if (!options.machine.empty()) return power_states_of(machine_named(options.machine));
  PowerStates power = power_states_of(machine_named(kAssumedMachine));
  power.origin = "assumed, since no --machine was given; " + power.origin;
  return power;
}

// As many as a wide screen can show, but no more memory than some 100 MB for all locations.
std::size_t bins_for(const WaitstatesOptions& options, std::size_t locations) {
  constexpr std::size_t kMost = 2000;
  constexpr std::size_t kMostOfAll = 1'000'000;
  constexpr std::size_t kFewest = 20;
  if (options.html.empty()) return 0;
  if (options.bins) return *options.bins;
  return std::clamp(kMostOfAll / std::max<std::size_t>(locations, 1), kFewest, kMost);
}

StudyRequest request_from(const WaitstatesOptions& options) {
  StudyRequest request;
  request.critical_path = options.critical_path;
  request.slack = options.critical_path || !options.profile.empty();
  for (const std::string& text : options.what_ifs) request.what_ifs.push_back(parse_what_if(text));
  return request;
}

struct Findings {
  WaitReport report;
  RunStudy study;
};

Findings analysed(const WaitstatesOptions& options, Exchange& exchange) {
  AnalysisOptions analysis;
  analysis.power = power_from(options);
  const StudyRequest request = request_from(options);
  const std::unique_ptr<Trace> trace = open_otf2(options.trace);
  analysis.timeline_bins = bins_for(options, trace->definitions().locations.size());
  std::optional<ActivitySpool> spool;
  if (request.anything()) analysis.activities = &spool.emplace();
  std::optional<Progress> progress;
  if (exchange.process() == 0) {
    progress.emplace("percent of the events read:");
    analysis.progress = [&](double share) {
      progress->show(static_cast<std::size_t>(std::lround(100 * share)), 100);
    };
  }
  Findings found;
  found.report = analyse_wait_states(*trace, exchange, analysis);
  found.report.trace = options.trace;
  if (spool) found.study = study_of(*spool, exchange, found.report, trace->definitions(), request);
  return found;
}

std::string for_people(const WaitAnswer& answer, const WaitstatesOptions& options) {
  return waits_head_text(answer) + "\n" + waits_text(answer, options.by) + study_text(answer) +
         waits_remarks_text(answer);
}

}  // namespace

void run_waitstates(const WaitstatesOptions& options, Exchange& exchange) {
  const Findings found = analysed(options, exchange);
  if (exchange.process() != 0) return;
  const WaitAnswer answer(found.report, &found.study);
  if (!options.profile.empty())
    save_profile(with_wait_states(load_profile(options.profile), found.report, *found.study.slack),
                 options.output);
  if (!options.html.empty())
    put_out(wait_page(found.report, page_extras_of(found.study, found.report)), options.html);
  if (options.json) return put_out(waits_json(answer));
  if (options.csv) return put_out(waits_csv(answer, options.by));
  put_out(for_people(answer, options));
}

}  // namespace huddle
