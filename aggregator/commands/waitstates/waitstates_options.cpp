#include "aggregator/commands/waitstates/waitstates_options.hpp"

#include <CLI/CLI.hpp>
#include <map>
#include <set>
#include <string>

#include "aggregator/waitstates/criticalpath/what_if.hpp"

namespace huddle {
namespace {

void declare_study_options(CLI::App& command, WaitstatesOptions& options) {
  command.add_flag("--critical-path", options.critical_path,
                   "also say what made the run as long as it was, and by how much each rank's "
                   "computation could take longer without making it longer");
  command
      .add_option("--what-if", options.what_ifs,
                  "also say what the run would take with changed computation, and what energy; may "
                  "be given several times: " +
                      std::string(kWhatIfGrammar))
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  auto* profile = command.add_option("--profile", options.profile,
                                     "a profile of the same program and ranks, to be completed by "
                                     "waiting and slack of each rank: plans with a frequency for "
                                     "each rank go by it");
  auto* output = command.add_option("-o,--output", options.output,
                                    "the file that the completed profile goes to");
  profile->needs(output);
  output->needs(profile);
}

}  // namespace

void declare_waitstates_options(CLI::App& command, WaitstatesOptions& options) {
  const std::map<std::string, WaitsBy> orders = {
      {"pattern", WaitsBy::kPattern}, {"callpath", WaitsBy::kCallPath}, {"rank", WaitsBy::kRank}};
  command
      .add_option("TRACE", options.trace,
                  "an OTF2 trace: its folder, or its anchor file (.otf2); of huddle record "
                  "--trace, Score-P, eztrace or another tool")
      ->required();
  command.add_option("-m,--machine", options.machine,
                     "whose power waiting is reckoned with: a machine document with power_states "
                     "or power figures, or the name of one on file (default: xeon-x5560, assumed)");
  command
      .add_option_function<std::string>(
          "--by", [orders, &options](const std::string& name) { options.by = orders.at(name); },
          "what wait states are listed by: pattern (the default), callpath or rank")
      ->check(CLI::IsMember(std::set<std::string>{"pattern", "callpath", "rank"}).description(""));
  auto* json = command.add_flag("--json", options.json, "all that was found, as JSON");
  command.add_flag("--csv", options.csv, "what --by says as comma-separated values")
      ->excludes(json);
  command.add_option("--html", options.html,
                     "write a page for a browser to this file, too: metrics, call tree, ranks and "
                     "a timeline; it needs no network");
  command
      .add_option("--bins", options.bins,
                  "slices of time in the page's timeline; 0: none (default: up to 2000, fewer with "
                  "many ranks)")
      ->check(CLI::Range(0U, 100'000U));
  command
      .add_option("--processes", options.processes,
                  "how many processes share the analysis (default: one, or those that mpirun or "
                  "srun has started)")
      ->check(CLI::Range(1U, 65'536U));
  declare_study_options(command, options);
}

}  // namespace huddle
