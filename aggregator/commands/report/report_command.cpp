// huddle report: what became of the jobs that Huddle measured, packed or left.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/report/report_output.hpp"
#include "aggregator/commands/report/report_summary.hpp"
#include "aggregator/commands/report/site_policy.hpp"
#include "aggregator/operations/accounting/accounting.hpp"
#include "aggregator/operations/accounting/job_report.hpp"
#include "aggregator/operations/accounting/program_efficiency.hpp"
#include "aggregator/operations/accounting/stored_runs.hpp"
#include "aggregator/predict/energy/profile_energy.hpp"
#include "aggregator/render/output.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/policy/policy.hpp"
#include "profiles/store/site_sweep.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

struct Options {
  std::string store;
  std::string user = store::current_user();
  std::optional<std::string> label;
  std::string since;
  std::string until;
  /// The one that the site's policy names.
  std::string machine;
  std::string openmetrics;
  std::string html;
  SiteRates rates;
  bool all_users = false;
  bool sweep = false;
  bool no_accounting = false;
  bool jobs = false;
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

// The store is where the site's policy says unless the user names it; without one, where its
// default is.
void complete_from_policy(Options& options, std::vector<std::string>& notes) {
  const Policy policy = site_policy(notes);
  if (options.store.empty()) options.store = policy.profiles_directory;
  options.machine = policy.machine_file;
  options.rates = policy.rates;
}

// The machine's nodes, and the bound of what they may draw.
struct KnownNodes {
  std::optional<Machine> machine;
  predict::PowerBound bound;
};

KnownNodes nodes_of(const Options& options, std::vector<std::string>& notes) {
  if (options.machine.empty()) return {};
  try {
    Machine machine = load_machine(options.machine);
    const predict::PowerBound bound = predict::power_bound(machine);
    return {std::move(machine), bound};
  } catch (const Error& error) {  // the user asked for nothing of it
    notes.emplace_back(error.what());
    return {};
  }
}

ReportContext context_of(const Options& options, const std::optional<Machine>& machine) {
  const std::optional<UnusedNodes> unused = machine ? machine->unused_nodes : std::nullopt;
  return {huddle::text_of(fates_of(unused, machine ? machine->nodes : 0)),
          !unused || unused->origin == Origin::kAssumed, options.rates};
}

// The first few of many.
std::string listed(std::vector<std::string> names) {
  constexpr std::size_t kMost = 10;
  const bool more = names.size() > kMost;
  names.resize(std::min(names.size(), kMost));
  return fmt::format("{}{}", fmt::join(names, ", "), more ? ", ..." : "");
}

std::vector<std::string> names_of(const std::vector<std::filesystem::path>& folders) {
  std::vector<std::string> names;
  for (const auto& folder : folders) names.push_back(shortened(folder.filename().string()));
  return names;
}

// Notes for what could not be read, in numbers: there may be many users.
void add_notes(const operations::StoredRunsOfAll& stored, std::vector<std::string>& notes) {
  if (stored.passed_over > 0)
    notes.push_back(fmt::format("{} record(s) passed over, the first one: {}", stored.passed_over,
                                stored.first_error));
  if (!stored.unread_users.empty())
    notes.push_back(
        fmt::format("the records of {} user(s) can't be read and are not counted: {}; "
                    "the first one: {}",
                    stored.unread_users.size(), listed(stored.unread_users), stored.first_unread));
  if (!stored.folders_passed_over.empty())
    notes.push_back(fmt::format(
        "{} folder(s) passed over, which are not of a user of their name, the first one: {}",
        stored.folders_passed_over.size(), shortened(stored.folders_passed_over[0].string())));
}

operations::StoredRunsOfAll load_runs(const Options& options, std::vector<std::string>& notes) {
  const store::Store store(store::expand_home(options.store, store::current_home()));
  render::Progress progress("records read");
  const auto show = [&](std::size_t done, std::size_t all) { progress.show(done, all); };
  const operations::Period period{time_from("--since", options.since),
                                  time_from("--until", options.until)};
  operations::StoredRunsOfAll stored;
  if (options.all_users)
    stored = operations::stored_runs_of_all(store, options.label, period, show);
  else
    static_cast<operations::StoredRuns&>(stored) =
        operations::stored_runs(store, options.user, options.label, period, show);
  add_notes(stored, notes);
  return stored;
}

operations::Accounting accounts_of(const std::vector<operations::ReportedRun>& runs,
                                   const Options& options, std::vector<std::string>& notes) {
  if (options.no_accounting) return {};
  render::Progress progress("jobs asked for at Slurm's accounting");
  try {
    return operations::ask_accounting(
        operations::jobs_of(runs),
        [](const std::vector<std::string>& command) {
          return operations::run_accounting_command(command);
        },
        [&](std::size_t done, std::size_t all) { progress.show(done, all); });
  } catch (const Error& error) {
    notes.push_back(
        fmt::format("neither energies nor charges from Slurm's accounting: {}", error.what()));
    return {};
  }
}

void add_efficiencies(operations::JobReport& report, const Options& options,
                      std::vector<std::string>& notes) {
  const store::Store store(store::expand_home(options.store, store::current_home()));
  render::Progress progress("users whose profiles are read:");
  for (std::string& note : operations::add_used_time(
           report.runs, store,
           [&](std::size_t done, std::size_t all) { progress.show(done, all); }))
    notes.push_back(std::move(note));
}

// It names where it looked: a site's policy may be another file than the one that is read here.
std::string no_records(const Options& options, bool of_any_time) {
  const std::string store = store::expand_home(options.store, store::current_home()).string();
  return fmt::format("No record of a job{} of {} in {}.\n", of_any_time ? "" : " of that time",
                     options.all_users ? "any user" : options.user, store);
}

// A policy that can't be read might keep more than the defaults do.
void sweep(const Options& options, std::vector<std::string>& notes) {
  if (::geteuid() != 0) throw UsageError("--sweep: only root can remove files of all users");
  std::vector<std::string> unread;
  const Policy policy = site_policy(unread);
  if (!unread.empty()) throw Error(fmt::format("--sweep: nothing is removed: {}", unread[0]));
  const store::Store store(store::expand_home(options.store, store::current_home()));
  const store::SiteSweep swept = store::sweep_site(
      store, {std::chrono::days(policy.keep_days), policy.quota_files, policy.quota});
  notes.push_back(fmt::format(
      "{} old file(s) of {} user(s) removed from {}, and the folders of {} who left{}{}",
      swept.removed, swept.users, store.root().string(), swept.departed.size(),
      swept.departed.empty() ? "" : ": ", listed(names_of(swept.departed))));
  if (!swept.failures.empty())
    notes.push_back(fmt::format("{} folder(s) could not be swept, the first one: {}",
                                swept.failures.size(), swept.failures[0]));
}

void run(Options options) {
  std::vector<std::string> notes;
  complete_from_policy(options, notes);
  if (options.sweep) sweep(options, notes);
  const KnownNodes nodes = nodes_of(options, notes);
  operations::StoredRunsOfAll stored = load_runs(options, notes);
  const operations::Accounting accounted = accounts_of(stored.runs, options, notes);
  // A record may name any file. As root that would be read with rights that its writer lacks.
  const bool others_records =
      ::geteuid() == 0 && (options.all_users || options.user != store::current_user());
  operations::JobReport report = operations::report_on(
      std::move(stored.runs), accounted, nodes.bound,
      [&](const std::string& profile) {
        return others_records ? std::optional<Joules>() : predict::metered_energy(profile);
      },
      nodes.machine ? &*nodes.machine : nullptr);
  if (!others_records && (options.json || options.jobs)) add_balancing(report);
  // Metrics are written every few minutes, and have none of that.
  if (options.openmetrics.empty()) add_efficiencies(report, options, notes);
  for (const std::string& note : notes) fmt::print(stderr, "huddle: {}\n", note);
  if (!options.openmetrics.empty())
    return render::put_out(report_metrics(report, {stored.unread_users.size(), stored.passed_over}),
                           options.openmetrics);
  const Whose whose = options.all_users ? Whose::kAllUsers : Whose::kOneUser;
  const ReportContext context = context_of(options, nodes.machine);
  if (!options.html.empty())
    render::put_out(report_page(report, operations::summarize(report), context, notes),
                    options.html);
  if (options.json) return render::put_out(report_json(report, context, notes, whose));
  if (report.by_label.empty()) return render::put_out(no_records(options, report.runs.empty()));
  const operations::PeriodSummary summary = operations::summarize(report);
  render::put_out(headline_text(summary, context) + "\n");
  if (options.jobs) render::put_out(runs_table(report, whose) + "\n");
  render::put_out(sums_table(report, whose));
  if (!summary.programs.empty()) render::put_out("\n" + programs_text(summary.programs));
}

}  // namespace

void add_report_command(cli::App& app) {
  auto options = std::make_shared<Options>();
  cli::App* command = app.add_subcommand("report",
                                         "Say what became of your jobs, or of all users', what the "
                                         "plans had promised, and what was saved so far");
  command
      ->add_option("--store", options->store,
                   "root of the stored profiles (default: the site's, by /etc/slurm/huddle.toml "
                   "or the policy that plugstack.conf names; else ~/.huddle)")
      ->value("DIRECTORY");
  auto* user = command->add_option("--user", options->user, "whose jobs")->capture_default_str();
  auto* all = command
                  ->add_flag("--all-users", options->all_users,
                             "the jobs of all users whose records the caller can read: root, those "
                             "of all")
                  ->excludes(user);
  command
      ->add_flag("--sweep", options->sweep,
                 "as root: first remove what the policy's [profiles] keeps no longer "
                 "(keep_days, quota_bytes), of users who submit no more, too, and "
                 "whole folders of users who left, if as old")
      ->needs(all);
  command->add_option("--label", options->label, "jobs of this name only");
  command
      ->add_option("--since", options->since,
                   "jobs that began then or later: a day or a time of UTC, such as 2026-11-22 or "
                   "2026-11-22T08:30:00Z")
      ->value("DAY");
  command->add_option("--until", options->until, "jobs that began before then")->value("DAY");
  command->add_flag("--no-accounting", options->no_accounting,
                    "do not ask Slurm's accounting (sacct) for energies");
  auto* jobs = command->add_flag("--jobs", options->jobs, "each job, and then the sums");
  auto* json = command->add_flag("--json", options->json, "jobs and sums as JSON");
  auto* metrics = command->add_option(
      "--openmetrics", options->openmetrics,
      "write the sums as metrics to this file, and print nothing: for Prometheus' "
      "node_exporter, in its textfile directory and with a name that ends in .prom");
  metrics->value("FILE")->excludes(jobs)->excludes(json);
  json->excludes(jobs);
  command
      ->add_option("--html", options->html,
                   "write a page for a browser to this file as well, which needs nothing else: "
                   "what was freed of how much, by month and partition")
      ->value("FILE")
      ->excludes(metrics);
  command->add_example("huddle report --jobs --label halo --since 2026-11-01");
  command->add_example("huddle report --all-users --since 2026-01-01 --html page.html");
  command->callback([options] { run(*options); });
}

}  // namespace huddle::cli
