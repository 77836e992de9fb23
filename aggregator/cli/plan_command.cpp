// huddle plan: what would be done for a job; the SPANK plugin asks it at every submission.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "aggregator/choice/job_decision.hpp"
#include "aggregator/cli/commands.hpp"
#include "aggregator/cli/forecast_output.hpp"
#include "aggregator/cli/output.hpp"
#include "aggregator/cli/shares.hpp"
#include "profiles/formats/decision.hpp"
#include "profiles/store/store.hpp"

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
  std::string risk = "point";
  std::uint32_t samples = 2;
  std::string slowdown = "5%";
  std::string grouping = "mapped";
  bool json = false;
};

const std::map<std::string, Grouping> kGroupings = {{"mapped", Grouping::kMapped},
                                                    {"rank-order", Grouping::kRankOrder}};

const std::map<std::string, Risk> kRisks = {{"point", Risk::kPoint}, {"interval", Risk::kInterval}};

void run(const Options& options) {
  JobQuestion question;
  question.key = {options.user, options.label, options.ranks};
  question.nodes = options.nodes;
  question.slowdown = share_from("--slowdown", options.slowdown);
  question.grouping = kGroupings.at(options.grouping);
  question.machine = options.machine;
  question.model = options.model;
  question.risk = kRisks.at(options.risk);
  question.samples = options.samples;
  question.every_pattern = !options.json;
  const JobAnswer answer = decide_job(Store(expand_home(options.store, current_home())), question);
  if (options.json) return put_out(to_json(answer.decision));
  if (answer.plan) put_out(forecast_table(*answer.plan));
  put_out(fmt::format("--energy-aggregate would say: {}\n", answer.decision.reason));
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
  command->add_option("--nodes", options->nodes,
                      "the nodes asked for, the most that may be used (default: those of the "
                      "measured run)");
  command->add_option("-m,--machine", options->machine, "machine document of the nodes");
  command->add_option("--model", options->model, "model document that was trained on the nodes");
  command
      ->add_option(
          "--samples", options->samples,
          "how many runs may be measured before there is a plan; a second one needs a model")
      ->check(CLI::Range(1U, 2U))
      ->capture_default_str();
  command
      ->add_option("--risk", options->risk,
                   "what of a predicted time must be within the bound: point (the most likely one) "
                   "or interval (all of it)")
      ->check(CLI::IsMember(kRisks))
      ->capture_default_str();
  command->add_option("--slowdown", options->slowdown, "the largest slowdown to accept")
      ->capture_default_str();
  command
      ->add_option("--grouping", options->grouping,
                   "mapped (ranks that talk share a node) or rank-order")
      ->check(CLI::IsMember(kGroupings))
      ->capture_default_str();
  command->add_flag("--json", options->json, "print the decision as JSON");
  command->callback([options] { run(*options); });
}

}  // namespace huddle
