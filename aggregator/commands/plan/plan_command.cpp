// huddle plan: what would be done for a job; the SPANK plugin asks it at every submission.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "aggregator/planning/background_task.hpp"
#include "aggregator/planning/planner.hpp"
#include "aggregator/planning/plan_with_deadline.hpp"
#include "aggregator/commands/common/choice_options.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/pattern_table.hpp"
#include "aggregator/operations/train/kernel_runs.hpp"
#include "aggregator/render/output.hpp"
#include "aggregator/commands/common/size_options.hpp"
#include "profiles/formats/plan/decision.hpp"
#include "profiles/store/retention.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

struct Options {
  std::string store;
  std::string user = current_user();
  std::string label;
  std::uint32_t ranks = 0;
  std::optional<std::uint32_t> nodes;
  std::string machine;
  std::string model;
  std::uint32_t samples = 2;
  std::string size;
  std::string grouping = "mapped";
  ChoiceOptions choice;
  std::uint32_t cores_per_rank = 1;
  std::vector<std::string> profiles;
  std::uint32_t keep_days = 0;
  std::string answer_within;
  bool dry_run = false;
  bool json = false;
};

const std::map<std::string, Grouping> kGroupings = {{"mapped", Grouping::kMapped},
                                                    {"rank-order", Grouping::kRankOrder}};

JobQuestion question_of(const Options& options) {
  JobQuestion question;
  question.key = {options.user, options.label, options.ranks};
  question.nodes = options.nodes;
  question.slowdown = options.choice.most_slowdown();
  question.grouping = kGroupings.at(options.grouping);
  question.machine = options.machine;
  question.model = options.model;
  question.risk = options.choice.chosen_risk();
  question.samples = options.samples;
  question.size = asked_size("--size", options.size);
  question.every_pattern = !options.json;
  question.objective = options.choice.chosen_objective();
  question.least_nodes = options.choice.least_nodes;
  question.cores_per_rank = options.cores_per_rank;
  question.frequencies = options.choice.frequencies();
  question.profiles.assign(options.profiles.begin(), options.profiles.end());
  question.make_store = options.store.starts_with("~/");
  question.dry_run = options.dry_run;
  return question;
}

JobAnswer answer_to(const JobQuestion& question, const Store& store, const Options& options) {
  if (options.answer_within.empty() || options.dry_run) return decide_job(store, question);
  const std::optional<Seconds> wait = parse_duration(options.answer_within);
  if (!wait)
    throw UsageError(fmt::format("--answer-within {}: expected a time such as 1.5s or 2m",
                                 shortened(options.answer_within)));
  return decide_job_within(
      std::chrono::milliseconds(std::lround(std::min(wait->value, 86400.0) * 1e3)), store,
      question);
}

// The answer counts, whatever becomes of old files. Who waits so long and no longer for the answer
// must not wait for a slow file system to look at thousands of them.
void clean_up(const Store& store, const Options& options) {
  if (options.keep_days == 0 || options.dry_run) return;
  const auto remove = [&] {
    remove_older_than(std::chrono::days(options.keep_days), store,
                      {options.user, options.label, options.ranks});
    return std::string();
  };
  try {
    if (options.answer_within.empty())
      remove();
    else
      run_detached(remove, std::chrono::milliseconds(0));
  } catch (const Error& error) {
    fmt::print(stderr, "huddle: old files are not removed: {}\n", error.what());
  }
}

void run(const Options& options) {
  const JobQuestion question = question_of(options);
  const Store store(expand_home(options.store, current_home()));
  const JobAnswer answer = answer_to(question, store, options);
  if (options.json) {
    put_out(to_json(answer.decision));
  } else {
    if (answer.plan) put_out(pattern_table(*answer.plan));
    put_out(fmt::format("--energy-aggregate would say: {}\n", answer.decision.reason));
  }
  clean_up(store, options);
}

}  // namespace

void add_plan_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "plan", "Say what --energy-aggregate would do for a job, from what is stored of its runs");
  command->add_option("--store", options->store, "root of the stored profiles")
      ->default_val("~/.huddle");
  command->add_option("--user", options->user, "whose job")->capture_default_str();
  command->add_option("--label", options->label, "the job's name")->required();
  command->add_option("--ranks", options->ranks, "how many ranks")
      ->required()
      ->check(CLI::Range(1U, 1U << 31U));
  command
      ->add_option("--nodes", options->nodes,
                   "the nodes asked for, the most that may be used (default: those of the "
                   "measured run)")
      ->check(CLI::Range(1U, std::numeric_limits<std::uint32_t>::max()));
  command->add_option("--size", options->size,
                      "the size of the job's problem, such as 4096 or 64x64x32: only runs of that "
                      "size count (default: those of the newest run's size)");
  command->add_option("-m,--machine", options->machine, "machine document of the nodes");
  command->add_option("--model", options->model, "model document that was trained on the nodes");
  command
      ->add_option(
          "--samples", options->samples,
          "how many runs may be measured before there is a plan; a second one needs a model")
      ->check(CLI::Range(1U, 2U))
      ->capture_default_str();
  command
      ->add_option("--grouping", options->grouping,
                   "mapped (ranks that talk share a node) or rank-order")
      ->check(CLI::IsMember(kGroupings))
      ->capture_default_str();
  command
      ->add_option("--cores-per-rank", options->cores_per_rank,
                   "how many cores each rank has, for its threads")
      ->check(CLI::Range(1U, std::numeric_limits<std::uint32_t>::max()))
      ->capture_default_str();
  command->add_option("--profile", options->profiles,
                      "profiles to plan from instead of the stored ones, the job as it is "
                      "submitted first");
  command
      ->add_option("--keep-days", options->keep_days,
                   "afterwards, remove what the job's folder in the store holds that nobody used "
                   "for so many days, but never the newest complete profile; 0: keep all")
      ->check(CLI::Range(0U, 36500U))
      ->capture_default_str();
  command->add_option("--answer-within", options->answer_within,
                      "how long to wait for a plan that is not stored yet, such as 1.5s: then the "
                      "job is to be left alone, and the plan is made in the background, for the "
                      "next time (default: until it is made)");
  command->add_flag("--dry-run", options->dry_run,
                    "write nothing: keep no plan, remove no old files");
  options->choice.add_to(*command);
  command->add_flag("--json", options->json, "print the decision as JSON");
  command->callback([options] { run(*options); });
}

}  // namespace huddle
