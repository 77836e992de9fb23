// huddle recommend: ranks the packing patterns for a program on a machine, and writes a plan.

#include <fmt/format.h>

#include <limits>
#include <memory>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/recommend/recommend_answer.hpp"
#include "aggregator/render/output.hpp"

namespace huddle::cli {
namespace {

void add_choice_options(cli::App& command, RecommendOptions& options) {
  command.add_option("--slowdown", options.slowdown, "the largest slowdown to accept")
      ->value("SHARE")
      ->capture_default_str();
  command
      .add_option("--objective", options.objective,
                  "what is to be least within the bound: energy (without power figures in the "
                  "machine document fewest nodes, then packages, then dies), edp (energy x time) "
                  "or time")
      ->check(cli::IsMember({"edp", "energy", "time"}))
      ->capture_default_str();
  command
      .add_option("--computation", options.computation,
                  "how computation is predicted: paper (regression on IPC), shared (contention "
                  "for caches and memory), prior (the same as it usually is, where nothing was "
                  "learnt), simple (like the nearest sample) or auto (with a model the one of the "
                  "first two that erred less in training, else prior)")
      ->check(cli::IsMember({"auto", "paper", "shared", "prior", "simple"}))
      ->capture_default_str();
  command
      .add_option("--frequency", options.frequency,
                  "the frequency of the cores: keep (as it is), auto (for each pattern the best of "
                  "those in the machine document, which must say what cores draw at each unless "
                  "the objective is time), or of a range such as 1.2GHz-2.4GHz. In the plan, ranks "
                  "that wait for others may get a lower one")
      ->capture_default_str();
  command
      .add_option("--unused-nodes", options.unused_nodes,
                  "what becomes of nodes that the reference uses and a pattern does not: they are "
                  "used by other jobs, sleeps (as soon as the machine document says, else at once) "
                  "or idles (default: as the machine document says, else used)")
      ->check(cli::IsMember({"idles", "sleeps", "used"}));
}

void run(const RecommendOptions& options) {
  const RecommendAnswer answer = recommend_by(options);
  if (options.json) return render::put_out(recommend_json(answer));
  for (const std::string& note : answer.notes) fmt::print(stderr, "huddle: {}\n", note);
  render::put_out(recommend_text(answer));
}

}  // namespace

void add_recommend_command(cli::App& app) {
  auto options = std::make_shared<RecommendOptions>();
  cli::App* command = app.add_subcommand(
      "recommend",
      "Rank the packing patterns of a machine for a program, and write a plan.\nHow packing slows "
      "computation down comes from a model (see huddle train); without one, it changes computation "
      "only if samples say so. Communication comes from the machine's tables of messages and "
      "collectives (see huddle machine calibrate), or from latency and bandwidth by distance");
  command
      ->add_option("PROFILE", options->profiles,
                   "profiles of one program; the first one's traffic counts, the others are "
                   "samples of its computation on other patterns")
      ->required();
  command->add_option("--size", options->size,
                      "the problem size that is asked, such as 4096 or 64x64x32: only profiles of "
                      "that size count");
  command
      ->add_option("-m,--machine", options->machine,
                   "machine document (see huddle machine), the name of one on file, such as "
                   "system-g, or \"this\" for this machine (default: this, with a note)")
      ->value("FILE");
  command
      ->add_option("--model", options->model,
                   "what was learnt about computation (see huddle train); with it, times have "
                   "an interval that holds the true one 9 times in 10")
      ->value("FILE");
  command->add_option("--nodes", options->nodes,
                      "the most nodes that may be used (default: what the machine has)");
  command
      ->add_option("--cores-per-rank", options->cores_per_rank,
                   "how many cores each rank has, for its threads (default: as many as the first "
                   "profile's ranks had for certain, else 1)")
      ->check(cli::Range(1U, std::numeric_limits<std::uint32_t>::max()));
  command->add_flag(
      "--smt", options->smt,
      "look at patterns with several ranks on each core, too, one on each of its PUs: "
      "a fourth number counts them, as in 2:1:4:2");
  command->add_option("--reference", options->reference,
                      "what slowdown is measured against: a pattern (default: 1:1:1, or spread "
                      "evenly over all nodes of a machine that has fewer than ranks); "
                      "\"measured\", the first profile's own layout; or \"nodes\", spread "
                      "evenly over --nodes");
  add_choice_options(*command, *options);
  command->add_option("--plan", options->plan, "write the plan for the best pattern to this file")
      ->value("FILE");
  command->add_flag("--json", options->json, "print JSON");
  command->add_example("huddle recommend profile.json -m machine.json");
  command->add_example("huddle recommend sparse.json packed.json -m machine.json --plan plan.json",
                       "from two runs; keeps the plan");
  command->callback([options] { run(*options); });
}

}  // namespace huddle::cli
