// huddle emit: launch files for a plan.

#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "aggregator/cli/commands.hpp"
#include "aggregator/cli/output.hpp"
#include "profiles/formats/launch_files.hpp"
#include "profiles/formats/plan.hpp"

namespace huddle {
namespace {

enum class Launcher : std::uint8_t { kSlurm, kOpenMpi, kMpich };

struct Options {
  std::string plan;
  Launcher launcher = Launcher::kSlurm;
  std::vector<std::string> nodes;
  std::string output;
};

const std::map<std::string, Launcher> kLaunchers = {
    {"slurm", Launcher::kSlurm}, {"openmpi", Launcher::kOpenMpi}, {"mpich", Launcher::kMpich}};

std::string launch_file(Launcher launcher, const Plan& plan,
                        const std::vector<std::string>& nodes) {
  switch (launcher) {
    case Launcher::kSlurm:
      return slurm_host_file(plan, nodes);
    case Launcher::kOpenMpi:
      return openmpi_rankfile(plan, nodes);
    case Launcher::kMpich:
      return mpich_host_file(plan, nodes);
  }
  return {};
}

}  // namespace

void add_emit_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "emit",
      "Write what a launcher needs to follow a plan:\n  slurm    a host file: "
      "SLURM_HOSTFILE=FILE srun --distribution=arbitrary\n  openmpi  a rankfile: mpirun --mca "
      "rmaps_rank_file_physical 1 --rankfile FILE\n  mpich    a host file: mpiexec -f FILE (which "
      "node, not which core)");
  command->add_option("PLAN", options->plan, "a plan (see huddle recommend --plan)")->required();
  command->add_option("--as", options->launcher, "slurm, openmpi or mpich")
      ->required()
      ->transform(CLI::CheckedTransformer(kLaunchers));
  command->add_option("--hosts", options->nodes, "the hosts that the plan's nodes become, in order")
      ->required()
      ->delimiter(',');
  command->add_option("-o,--output", options->output, "where it goes (default: standard output)");
  command->callback([options] {
    put_out(launch_file(options->launcher, load_plan(options->plan), options->nodes),
            options->output);
  });
}

}  // namespace huddle
