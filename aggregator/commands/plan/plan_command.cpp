// huddle plan: what would be done for a job; the SPANK plugin asks it at every submission.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/pattern_table.hpp"
#include "aggregator/planning/background_task.hpp"
#include "aggregator/planning/plan_with_deadline.hpp"
#include "aggregator/planning/planner.hpp"
#include "aggregator/render/output.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/formats/plan/decision.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/store/retention.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

struct Options {
  /// The file that the request is in, "-" for the standard input; else the options make one.
  std::string request_file;
  /// As the options say; the rest has its defaults.
  PlanRequest request;
  std::string store;
  std::string machine;
  bool json = false;
};

std::string standard_input() {
  std::string text(kMostRequestBytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), stdin));
  if (std::ferror(stdin) != 0) throw Error("can't read the standard input");
  return text;
}

PlanRequest request_from(const std::string& file) {
  if (file == "-") return parse_plan_request(standard_input(), "standard input");
  return parse_plan_request(files::read_file(file, kMostRequestBytes), file);
}

PlanRequest request_from(const Options& options) {
  if (!options.request_file.empty()) return request_from(options.request_file);
  if (options.request.label.empty()) cli::throw_missing("--label");
  if (options.request.ranks == 0) cli::throw_missing("--ranks");
  PlanRequest request = options.request;
  request.store = store::expand_home(options.store, store::current_home());
  request.make_store = options.store.starts_with("~/");
  request.machine = options.machine;
  request.every_pattern = !options.json;
  return request;
}

planning::JobAnswer answer_to(const PlanRequest& request, const store::Store& store) {
  try {
    if (!request.answer_within || request.dry_run) return planning::decide_job(store, request);
    constexpr double kDay_s = 86400;
    const double wait_s = std::min(request.answer_within->value, kDay_s);
    return planning::decide_job_within(std::chrono::milliseconds(std::lround(wait_s * 1e3)), store,
                                       request);
  } catch (const planning::NoMachineDocument& error) {
    throw Error(fmt::format(
        "{}: give --machine, or set machine.file in huddle.toml, to what `huddle machine` prints "
        "on a node",
        error.what()));
  }
}

// The answer counts, whatever becomes of old files. A caller that waits only so long for the answer
// must not wait for a slow file system to look at some of them.
void clean_up(const PlanRequest& request, const store::Store& store) {
  const store::Retention retention{std::chrono::days(request.keep_days), request.quota_files,
                                   request.quota};
  if (request.dry_run || (retention.keeps_everything() && !request.answer_within)) return;
  try {
    if (!request.answer_within)
      store::sweep_now(store, request.user, retention);
    else if (store::sweep_is_due(store, request.user))
      planning::run_detached(
          [&] {
            store::sweep_slice(store, request.user, retention);
            return std::string();
          },
          std::chrono::milliseconds(0));
  } catch (const Error& error) {
    fmt::print(stderr, "huddle: old files are not removed: {}\n", error.what());
  }
}

void run(const Options& options) {
  const PlanRequest request = request_from(options);
  const store::Store store(request.store);
  const planning::JobAnswer answer = answer_to(request, store);
  if (options.json) {
    render::put_out(to_json(answer.decision));
  } else {
    // One that keeps the nodes may have been made without any prediction of time.
    if (answer.plan && (!answer.plan->keeps_nodes || answer.plan->predicts_time()))
      render::put_out(pattern_table(*answer.plan));
    render::put_out(fmt::format("--energy-aggregate would say: {}\n", answer.decision.reason));
    if (!answer.decision.teams_reason.empty())
      render::put_out(fmt::format("Of its threads: {}\n", answer.decision.teams_reason));
  }
  clean_up(request, store);
}

}  // namespace

void add_plan_command(cli::App& app) {
  auto options = std::make_shared<Options>();
  PlanRequest& request = options->request;
  request.user = store::current_user();
  cli::App* command = app.add_subcommand(
      "plan", "Say what --energy-aggregate would do for a job, from what is stored of its runs");
  command->add_option("--label", request.label, "the job's name (required)");
  command->add_option("--ranks", request.ranks, "how many ranks (required)")
      ->check(cli::Range(1U, 1U << 31U));
  command
      ->add_option("--nodes", request.nodes,
                   "the nodes asked for, the most that may be used (default: those of the "
                   "measured run)")
      ->check(cli::Range(1U, std::numeric_limits<std::uint32_t>::max()));
  command->add_option("--store", options->store, "root of the stored profiles")
      ->value("DIRECTORY")
      ->default_val("~/.huddle");
  command->add_option("-m,--machine", options->machine, "machine document of the nodes")
      ->value("FILE");
  cli::Option* file = command->add_option(
      "--request", options->request_file,
      "all of this and more as one document (huddle/plan-request) instead, from a file or, as -, "
      "from the standard input: what the plugin does");
  for (cli::Option* other : command->get_options())
    if (other != file) file->excludes(other);
  command->add_flag("--json", options->json, "print the decision as JSON");
  command->add_example(
      "huddle plan --label halo --ranks 16 --nodes 8 -m /etc/slurm/huddle-machine.json");
  command->callback([options] { run(*options); });
}

}  // namespace huddle::cli
