// huddle energy: what this node can tell about its energy.

#include <fmt/format.h>

#include <memory>
#include <string>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/energy/discovery_text.hpp"
#include "aggregator/render/output.hpp"
#include "profiles/hardware/discovery/power_discovery.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

struct Options {
  std::string root = "/";
  bool json = false;
};

void discover(const Options& options) {
  if (!std::filesystem::is_directory(options.root))
    throw UsageError(fmt::format("--root {}: no such folder", options.root));
  const PowerDiscovery found = discover_power(options.root);
  put_out(options.json ? as_json(found) : for_people(found));
}

}  // namespace

void add_energy_command(cli::App& app) {
  auto options = std::make_shared<Options>();
  cli::App* command = app.add_subcommand(
      "energy", "What this node can tell about its energy and its clocks, and what it counts");
  command->require_subcommand(1);
  cli::App* discovery = command->add_subcommand(
      "discover",
      "Show the processor, its clocks, and all that Linux shows of energy and power here: RAPL, "
      "Cray's pm_counters, and sensors of hwmon, with what each covers. Those inside of others "
      "stand below them, so that no sum counts anything twice. Some can be read by root alone");
  discovery
      ->add_option("--root", options->root,
                   "look at /sys, /proc and /etc/slurm below this folder, such as a copy of "
                   "another node's")
      ->value("DIR");
  discovery->add_flag("--json", options->json, "print JSON");
  discovery->add_example("huddle energy discover");
  discovery->callback([options] { discover(*options); });
  add_energy_record(*command);
  add_energy_job(*command);
  add_energy_node(*command);
  command->add_example("huddle energy discover");
}

}  // namespace huddle
