#include "aggregator/commands/waitstates/waitstates_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/machine_on_file.hpp"
#include "aggregator/render/output.hpp"
#include "aggregator/waitstates/comparison/run_comparison.hpp"
#include "aggregator/waitstates/criticalpath/run_study.hpp"
#include "aggregator/waitstates/criticalpath/what_if.hpp"
#include "aggregator/waitstates/energy/power_states.hpp"
#include "aggregator/waitstates/page/wait_page.hpp"
#include "aggregator/waitstates/replay/analysis.hpp"
#include "aggregator/waitstates/report/waitstates_output.hpp"
#include "profiles/traces/trace.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

void declare_study_options(cli::App& command, WaitstatesOptions& options) {
  command.add_flag("--efficiency", options.efficiency,
                   "also say how efficient the run was: load balance, and what of communication is "
                   "serialisation and what transfer, by a replay on an ideal network");
  command.add_flag("--critical-path", options.critical_path,
                   "also say what made the run as long as it was, and by how much each rank's "
                   "computation could take longer without making it longer");
  command.add_flag("--delays", options.delays,
                   "also say why ranks waited: which rank was late, and in which call path, at "
                   "once or through the waiting of others");
  command
      .add_option("--what-if", options.what_ifs,
                  "also say what the run would take with changed computation, and what energy; may "
                  "be given several times: " +
                      std::string(waitstates::kWhatIfGrammar))
      ->expected(1)
      ->take_all();
  auto* profile = command
                      .add_option("--profile", options.profile,
                                  "a profile of the same program and ranks, to be completed by "
                                  "waiting and slack of each rank: plans with a frequency for "
                                  "each rank go by it")
                      ->value("FILE");
  auto* output =
      command
          .add_option("-o,--output", options.output, "the file that the completed profile goes to")
          ->value("FILE");
  profile->needs(output);
  output->needs(profile);
}

}  // namespace

void declare_waitstates_options(cli::App& command, WaitstatesOptions& options) {
  const std::map<std::string, waitstates::WaitsBy> orders = {
      {"pattern", waitstates::WaitsBy::kPattern},
      {"callpath", waitstates::WaitsBy::kCallPath},
      {"rank", waitstates::WaitsBy::kRank}};
  command
      .add_option("TRACE", options.traces,
                  "an OTF2 trace: its folder, or its anchor file (.otf2); of huddle record "
                  "--trace, Score-P, eztrace or another tool. Of two, what changed from the first "
                  "to the second")
      ->required();
  command
      .add_option("-m,--machine", options.machine,
                  "whose power waiting is reckoned with: a machine document with power_states "
                  "or power figures, or the name of one on file (default: xeon-x5560, assumed)")
      ->value("FILE");
  command
      .add_option_function(
          "--by", [orders, &options](const std::string& name) { options.by = orders.at(name); },
          "what wait states are listed by: pattern (the default), callpath or rank")
      ->check(cli::IsMember({"callpath", "pattern", "rank"}).without_description());
  auto* json = command.add_flag("--json", options.json, "all that was found, as JSON");
  command.add_flag("--csv", options.csv, "what --by says as comma-separated values")
      ->excludes(json);
  command
      .add_option("--html", options.html,
                  "write a page for a browser to this file, too: metrics, call tree, ranks and "
                  "a timeline; it needs no network")
      ->value("FILE");
  command
      .add_option("--threads", options.threads,
                  "how many threads read and replay (default: 2 where there are 2 cores, else 1)")
      ->check(cli::Range(1U, 64U));
  declare_study_options(command, options);
}

namespace {

// One thread replays, and another has the events ready: a third one would have nothing to do.
std::size_t threads_that_help() {
  constexpr unsigned kMost = 2;
  return std::clamp(std::thread::hardware_concurrency(), 1U, kMost);
}

constexpr const char* kAssumedMachine = "xeon-x5560";

waitstates::PowerStates power_from(const WaitstatesOptions& options) {
  if (!options.machine.empty()) return waitstates::power_states_of(machine_named(options.machine));
  waitstates::PowerStates power = waitstates::power_states_of(machine_named(kAssumedMachine));
  power.origin = "assumed, since no --machine was given; " + power.origin;
  return power;
}

// As many as a wide screen can show, but no more memory than some 100 MB for all locations.
std::size_t bins_for(const WaitstatesOptions& options, std::size_t locations) {
  constexpr std::size_t kMost = 2000;
  constexpr std::size_t kMostOfAll = 1'000'000;
  constexpr std::size_t kFewest = 20;
  if (options.html.empty()) return 0;
  return std::clamp(kMostOfAll / std::max<std::size_t>(locations, 1), kFewest, kMost);
}

waitstates::StudyRequest request_from(const WaitstatesOptions& options) {
  waitstates::StudyRequest request;
  request.critical_path = options.critical_path;
  request.delays = options.delays;
  request.efficiency = options.efficiency;
  request.slack = options.critical_path || !options.profile.empty();
  for (const std::string& text : options.what_ifs)
    request.what_ifs.push_back(waitstates::parse_what_if(text));
  return request;
}

struct Findings {
  waitstates::WaitReport report;
  waitstates::RunStudy study;
};

Findings analysed(const WaitstatesOptions& options, const std::string& name) {
  waitstates::AnalysisOptions analysis;
  analysis.power = power_from(options);
  analysis.threads = options.threads > 0 ? options.threads : threads_that_help();
  const waitstates::StudyRequest request = request_from(options);
  const std::unique_ptr<traces::Trace> trace = traces::open_otf2(name);
  analysis.timeline_bins = bins_for(options, trace->definitions().locations.size());
  std::optional<waitstates::ActivityBuffer> buffer;
  if (request.anything()) analysis.activities = &buffer.emplace();
  render::Progress progress("percent of the events read:");
  analysis.progress = [&](double share) {
    progress.show(static_cast<std::size_t>(std::lround(100 * share)), 100);
  };
  Findings found;
  found.report = waitstates::analyse_wait_states(*trace, analysis);
  found.report.trace = name;
  found.report.program = trace->definitions().program;
  if (buffer)
    found.study =
        waitstates::study_of(std::move(*buffer), found.report, trace->definitions(), request);
  return found;
}

std::string for_people(const waitstates::WaitAnswer& answer, const WaitstatesOptions& options) {
  return waitstates::waits_head_text(answer) + "\n" + waitstates::waits_text(answer, options.by) +
         waitstates::study_text(answer) + waitstates::waits_remarks_text(answer);
}

}  // namespace

void check_waitstates_options(const WaitstatesOptions& options) {
  if (options.traces.size() == 1) return;
  if (options.traces.size() > 2)
    throw UsageError("more than two traces: expected is one, or those of a run before and after");
  const std::vector<std::pair<const char*, bool>> others = {
      {"--csv", options.csv},
      {"--html", !options.html.empty()},
      {"--critical-path", options.critical_path},
      {"--delays", options.delays},
      {"--efficiency", options.efficiency},
      {"--what-if", !options.what_ifs.empty()},
      {"--profile", !options.profile.empty()}};
  for (const auto& [name, given] : others)
    if (given) throw UsageError(fmt::format("{} is for one trace, not for a comparison", name));
}

void run_waitstates(const WaitstatesOptions& options) {
  if (options.traces.size() == 2) {
    const auto compared = [&](const std::string& trace) {
      return waitstates::compared_trace(analysed(options, trace).report);
    };
    const waitstates::ComparedTrace before = compared(options.traces[0]);
    const waitstates::RunComparison comparison =
        waitstates::comparison_of(before, compared(options.traces[1]));
    return render::put_out(options.json ? waitstates::comparison_json(comparison)
                                        : waitstates::comparison_text(comparison));
  }
  const Findings found = analysed(options, options.traces[0]);
  const waitstates::WaitAnswer answer(found.report, &found.study);
  if (!options.profile.empty())
    save_profile(waitstates::with_wait_states(load_profile(options.profile), found.report,
                                              *found.study.slack),
                 options.output);
  if (!options.html.empty())
    render::put_out(
        waitstates::wait_page(found.report, waitstates::page_extras_of(found.study, found.report)),
        options.html);
  if (options.json) return render::put_out(waitstates::waits_json(answer));
  if (options.csv) return render::put_out(waitstates::waits_csv(answer, options.by));
  render::put_out(for_people(answer, options));
}

}  // namespace huddle::cli
