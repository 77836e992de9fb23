// huddle explain: what is known of a job, what was decided, what came of it, and what comes next.

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/explain/explanation.hpp"
#include "aggregator/commands/report/site_policy.hpp"
#include "aggregator/operations/accounting/job_report.hpp"
#include "aggregator/operations/accounting/stored_runs.hpp"
#include "aggregator/render/output.hpp"
#include "profiles/formats/policy/site_switch.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string subject;
  std::string user = store::current_user();
  std::string store;
  bool json = false;
};

/// A key that is asked about, and which of its steps; none for the last one.
struct Subject {
  store::StoreKey key;
  std::vector<Outcome> steps;
};

// A job, or one of its steps, as the output of this command names them.
struct JobNumber {
  std::uint64_t job = 0;
  std::optional<std::uint32_t> step;
};

// "115" or "115.0"; nothing if the text is no such number.
std::optional<JobNumber> job_number(const std::string& text) {
  JobNumber number;
  const char* const last = text.data() + text.size();
  const auto [end, failure] = std::from_chars(text.data(), last, number.job);
  if (failure != std::errc{}) return std::nullopt;
  if (end == last) return number;
  std::uint32_t step = 0;
  const auto [end_of_step, no_step] = std::from_chars(end + 1, last, step);
  if (*end != '.' || no_step != std::errc{} || end_of_step != last) return std::nullopt;
  number.step = step;
  return number;
}

// The records of steps that began, oldest first.
std::vector<operations::ReportedRun> runs_of(const store::Store& store, const std::string& user,
                                             const std::optional<std::string>& label,
                                             std::vector<std::string>& notes) {
  render::Progress progress("records read");
  operations::StoredRuns stored = operations::stored_runs(
      store, user, label, {}, [&](std::size_t done, std::size_t all) { progress.show(done, all); });
  if (stored.passed_over > 0)
    notes.push_back(fmt::format("{} record(s) passed over, the first one: {}", stored.passed_over,
                                stored.first_error));
  std::erase_if(stored.runs, [](const operations::ReportedRun& run) { return !run.outcome.run; });
  std::stable_sort(stored.runs.begin(), stored.runs.end(),
                   [](const operations::ReportedRun& a, const operations::ReportedRun& b) {
                     return a.outcome.run->start < b.outcome.run->start;
                   });
  return std::move(stored.runs);
}

// The same with what Slurm charged for them, and which one each is compared with. Where accounting
// does not answer at once, nothing is said of charges.
std::vector<operations::ReportedRun> with_charges(std::vector<operations::ReportedRun> runs) {
  constexpr std::chrono::seconds kPatience{2};
  const bool any = std::ranges::any_of(
      runs, [](const operations::ReportedRun& run) { return follows_plan(run.outcome.treatment); });
  if (!any) return runs;
  operations::Accounting accounting;
  try {
    accounting = operations::ask_accounting(
        operations::jobs_of(runs),
        [&](const std::vector<std::string>& command) {
          return operations::run_accounting_command(command, kPatience);
        },
        [](std::size_t, std::size_t) {});
  } catch (const Error&) {
    return runs;
  }
  return operations::report_on(std::move(runs), accounting, {},
                               [](const std::string&) { return std::optional<Joules>(); })
      .runs;
}

bool is_of_job(const OutcomeRun& run, const JobNumber& asked) {
  if (asked.step && run.step != asked.step) return false;
  return run.job == asked.job || (run.array && run.array->job == asked.job);
}

// "halo, heat and 3 more".
template <class Texts>
std::string listed(const Texts& texts) {
  constexpr std::size_t kMostListed = 20;
  std::string list;
  std::size_t count = 0;
  for (const auto& text : texts) {
    if (count++ >= kMostListed) continue;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", text);
  }
  if (count > kMostListed) list += fmt::format(" and {} more", count - kMostListed);
  return list;
}

std::vector<Subject> subjects_of_label(const store::Store& store, const Options& options) {
  const std::vector<std::uint32_t> numbers = store.numbers_of_ranks(options.user, options.subject);
  if (numbers.empty()) {
    std::vector<std::string> labels = store.labels(options.user);
    for (std::string& label : labels) label = shortened(label);
    const std::string others =
        labels.empty() ? "nor anything else" : "but of these labels: " + listed(labels);
    throw Error(fmt::format("nothing is stored of \"{}\" of user {} in {}, {}",
                            shortened(options.subject), options.user, store.root().string(),
                            others));
  }
  std::vector<Subject> subjects;
  for (const std::uint32_t ranks : numbers)
    subjects.push_back({{options.user, options.subject, ranks}, {}});
  return subjects;
}

// Steps by label and ranks. Throws Error if there is no record of the job.
std::vector<Subject> subjects_of_job(const store::Store& store, const Options& options,
                                     const JobNumber& job,
                                     const std::vector<operations::ReportedRun>& runs) {
  std::map<std::pair<std::string, std::uint32_t>, std::vector<Outcome>> steps;
  for (const operations::ReportedRun& run : runs)
    if (is_of_job(*run.outcome.run, job))
      steps[{run.outcome.label, run.outcome.ranks}].push_back(run.outcome);
  std::vector<Subject> subjects;
  for (auto& [name, those] : steps)
    subjects.push_back({{options.user, name.first, name.second}, std::move(those)});
  if (!subjects.empty()) return subjects;
  const std::string others =
      runs.empty()
          ? "nor of any other"
          : fmt::format("but {} of others, the last one of job {} with {} ranks", runs.size(),
                        runs.back().outcome.run->job, runs.back().outcome.ranks);
  throw Error(fmt::format("no record of job {} of user {} in {}, {}", options.subject, options.user,
                          store.root().string(), others));
}

// Root reads no more than records of what others can change.
bool records_only(const store::Store& store, const std::string& user) {
  struct stat status {};
  return ::geteuid() == 0 && ::lstat(store.part_of(user).c_str(), &status) == 0 &&
         status.st_uid != 0;
}

void run(const Options& options) {
  std::vector<std::string> notes;
  Policy policy = site_policy(notes).for_submitter({});
  const std::string root = options.store.empty() ? policy.profiles_directory : options.store;
  const store::Store store(store::expand_home(root, store::current_home()));
  const std::optional<JobNumber> job = job_number(options.subject);
  // A label may be a number, too.
  const bool is_job = job && store.numbers_of_ranks(options.user, options.subject).empty();
  std::vector<operations::ReportedRun> runs =
      runs_of(store, options.user,
              is_job ? std::nullopt : std::optional<std::string>(options.subject), notes);
  const std::vector<Subject> subjects =
      is_job ? subjects_of_job(store, options, *job, runs) : subjects_of_label(store, options);
  std::string switched_off = why_switched_off(policy, site_policy_file());
  if (!notes.empty()) switched_off = "the policy is broken: " + notes.front();
  const ExplainedSite site{store, std::move(policy), records_only(store, options.user),
                           std::move(switched_off)};
  const auto is_of = [](const operations::ReportedRun& run, const Subject& subject) {
    return run.outcome.label == subject.key.label && run.outcome.ranks == subject.key.ranks;
  };
  std::erase_if(runs, [&](const operations::ReportedRun& run) {
    return std::ranges::none_of(subjects, [&](const Subject& one) { return is_of(run, one); });
  });
  runs = with_charges(std::move(runs));
  std::vector<Explanation> explanations;
  for (const Subject& subject : subjects) {
    std::vector<operations::ReportedRun> its_runs;
    for (const operations::ReportedRun& one : runs)
      if (is_of(one, subject)) its_runs.push_back(one);
    explanations.push_back(explain(site, subject.key, its_runs, subject.steps));
  }
  for (const std::string& note : notes) fmt::print(stderr, "huddle: {}\n", note);
  if (options.json)
    return render::put_out(explanations_json(explanations, notes, site_policy_file()));
  std::string text;
  if (const auto stopped = present_stop_file(site_policy_file()); !stopped.empty())
    text = fmt::format("stopped: {} exists, no job is measured or packed\n", stopped.string());
  for (const Explanation& explanation : explanations)
    text += (text.empty() ? "" : "\n") + explanation_text(explanation);
  render::put_out(text);
}

}  // namespace

void add_explain_command(cli::App& app) {
  auto options = std::make_shared<Options>();
  cli::App* command = app.add_subcommand(
      "explain",
      "Say what is known of a job, what was decided, what came of it, and what comes next");
  command
      ->add_option(
          "LABEL|JOBID", options->subject,
          "the name that jobs are stored by, or the number of a job, or of a step of it (115.0)")
      ->required();
  command->add_option("--user", options->user, "whose jobs")->capture_default_str();
  command
      ->add_option("--store", options->store,
                   "root of the stored profiles (default: the site's, by /etc/slurm/huddle.toml "
                   "or the policy that plugstack.conf names; else ~/.huddle)")
      ->value("DIRECTORY");
  command->add_flag("--json", options->json, "the same as JSON");
  command->add_example("huddle explain halo", "a job by its name");
  command->add_example("huddle explain 4711", "a job by its number");
  command->callback([options] { run(*options); });
}

}  // namespace huddle::cli
