// huddle report: what became of the jobs that Huddle measured, packed or left.

#include <fmt/format.h>

#include <unistd.h>

#include <memory>
#include <optional>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/machine_on_file.hpp"
#include "aggregator/commands/report/report_output.hpp"
#include "aggregator/commands/report/site_policy.hpp"
#include "aggregator/operations/accounting/accounting.hpp"
#include "aggregator/operations/accounting/job_report.hpp"
#include "aggregator/predict/energy/profile_energy.hpp"
#include "aggregator/render/output.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

struct Options {
  std::string store;
  std::string user = current_user();
  std::optional<std::string> label;
  std::string since;
  std::string until;
  std::string machine;
  /// What the site's policy names, if the user names none.
  std::string site_machine;
  bool no_accounting = false;
  bool jobs = false;
  bool csv = false;
  bool json = false;
};

std::optional<UtcTime> time_from(const std::string& option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto time = parse_utc(text);
  if (!time)
    throw UsageError(
        fmt::format("{} {}: expected a day or a time of UTC such as 2026-11-22 or "
                    "2026-11-22T08:30:00Z",
                    option, shortened(text)));
  return time;
}

// What the user did not name is where the site's policy says; without one, where its default is.
void complete_from_policy(Options& options, std::vector<std::string>& notes) {
  if (!options.store.empty() && !options.machine.empty()) return;
  const Policy policy = site_policy(notes);
  if (options.store.empty()) options.store = policy.profiles_directory;
  if (options.machine.empty()) options.site_machine = policy.machine_file;
}

PowerBound bound_of(const Options& options, std::vector<std::string>& notes) {
  if (!options.machine.empty()) return power_bound(machine_named(options.machine));
  if (options.site_machine.empty()) return {};
  try {
    return power_bound(load_machine(options.site_machine));
  } catch (const Error& error) {  // the user asked for nothing of it
    notes.emplace_back(error.what());
    return {};
  }
}

std::vector<ReportedRun> load_runs(const Options& options, std::vector<std::string>& notes) {
  const Store store(expand_home(options.store, current_home()));
  Progress progress("records read");
  StoredRuns stored =
      stored_runs(store, options.user, options.label,
                  {time_from("--since", options.since), time_from("--until", options.until)},
                  [&](std::size_t done, std::size_t all) { progress.show(done, all); });
  if (stored.passed_over > 0)
    notes.push_back(fmt::format("{} record(s) passed over, the first one: {}", stored.passed_over,
                                stored.first_error));
  return std::move(stored.runs);
}

AccountedSteps accounts_of(const std::vector<ReportedRun>& runs, const Options& options,
                           std::vector<std::string>& notes) {
  if (options.no_accounting) return {};
  Progress progress("jobs asked for at Slurm's accounting");
  try {
    return ask_accounting(jobs_of(runs), run_accounting_command,
                          [&](std::size_t done, std::size_t all) { progress.show(done, all); });
  } catch (const Error& error) {
    notes.push_back(fmt::format("no energy from Slurm's accounting: {}", error.what()));
    return {};
  }
}

// It names where it looked: a site's policy may be another file than the one that is read here.
std::string no_records(const Options& options, bool of_any_time) {
  const std::string store = expand_home(options.store, current_home()).string();
  return fmt::format("No record of a job{} of {} in {}.\n", of_any_time ? "" : " of that time",
                     options.user, store);
}

void run(Options options) {
  std::vector<std::string> notes;
  complete_from_policy(options, notes);
  const PowerBound bound = bound_of(options, notes);
  std::vector<ReportedRun> runs = load_runs(options, notes);
  const AccountedSteps accounted = accounts_of(runs, options, notes);
  // A record may name any file. As root that would be read with rights that its writer lacks.
  const bool others_records = ::geteuid() == 0 && options.user != current_user();
  const JobReport report =
      report_on(std::move(runs), accounted, bound, [&](const std::string& profile) {
        return others_records ? std::optional<Joules>() : metered_energy(profile);
      });
  for (const std::string& note : notes) fmt::print(stderr, "huddle: {}\n", note);
  if (options.json) return put_out(report_json(report, notes));
  if (options.csv) return put_out(runs_csv(report));
  if (report.by_label.empty()) return put_out(no_records(options, report.runs.empty()));
  if (options.jobs) put_out(runs_table(report) + "\n");
  put_out(sums_table(report));
}

}  // namespace

void add_report_command(cli::App& app) {
  auto options = std::make_shared<Options>();
  cli::App* command = app.add_subcommand(
      "report",
      "Say what became of your jobs, what the plans had promised, and what was saved so far");
  command->add_option("--store", options->store,
                      "root of the stored profiles (default: the site's, by /etc/slurm/huddle.toml "
                      "or the policy that plugstack.conf names; else ~/.huddle)");
  command->add_option("--user", options->user, "whose jobs")->capture_default_str();
  command->add_option("--label", options->label, "jobs of this name only");
  command->add_option(
      "--since", options->since,
      "jobs that began then or later: a day or a time of UTC, such as 2026-11-22 or "
      "2026-11-22T08:30:00Z");
  command->add_option("--until", options->until, "jobs that began before then");
  command->add_option("-m,--machine", options->machine,
                      "machine document of the nodes, whose power figures say which energies can't "
                      "be right (default: the site's; without one, up to 10 kW a node can)");
  command->add_flag("--no-accounting", options->no_accounting,
                    "do not ask Slurm's accounting (sacct) for energies");
  auto* jobs = command->add_flag("--jobs", options->jobs, "each job, and then the sums");
  auto* csv = command->add_flag("--csv", options->csv, "each job as a line of CSV, without sums");
  auto* json = command->add_flag("--json", options->json, "jobs and sums as JSON");
  csv->excludes(jobs)->excludes(json);
  json->excludes(jobs);
  command->callback([options] { run(*options); });
}

}  // namespace huddle
