// huddle emit: launch files for a plan.

#include <map>
#include <memory>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/render/output.hpp"
#include "profiles/formats/plan/launch_files.hpp"
#include "profiles/formats/plan/plan.hpp"

namespace huddle::cli {
namespace {

struct Options {
  std::string plan;
  std::string launcher;
  std::vector<std::string> nodes;
};

using Writer = std::string (*)(const Plan&, const std::vector<std::string>&);

const std::map<std::string, Writer> kLaunchers = {
    {"slurm", slurm_host_file}, {"openmpi", openmpi_rankfile}, {"mpich", mpich_host_file}};

}  // namespace

void add_emit_command(cli::App& app) {
  auto options = std::make_shared<Options>();
  cli::App* command = app.add_subcommand(
      "emit",
      "Write what a launcher needs to follow a plan:\n  slurm    a host file: "
      "SLURM_HOSTFILE=FILE srun --distribution=arbitrary\n  openmpi  a rankfile: mpirun --mca "
      "rmaps_rank_file_physical 1 --rankfile FILE\n  mpich    a host file: mpiexec -f FILE (which "
      "node, not which core)");
  command->add_option("PLAN", options->plan, "a plan (see huddle recommend --plan)")->required();
  command->add_option("--as", options->launcher, "slurm, openmpi or mpich")
      ->required()
      ->check(cli::IsMember(kLaunchers));
  command->add_option("--hosts", options->nodes, "the hosts that the plan's nodes become, in order")
      ->required()
      ->delimiter(',');
  command->add_example("huddle emit plan.json --as openmpi --hosts n0,n1 >rankfile");
  command->add_example("mpirun --mca rmaps_rank_file_physical 1 --rankfile rankfile ./app");
  command->callback([options] {
    render::put_out(kLaunchers.at(options->launcher)(load_plan(options->plan), options->nodes));
  });
}

}  // namespace huddle::cli
