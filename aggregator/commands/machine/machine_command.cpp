// huddle machine: describes the nodes of a site in a machine document.

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <memory>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/commands/common/commands.hpp"
#include "aggregator/commands/common/machine_on_file.hpp"
#include "aggregator/render/output.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

struct Options {
  std::string name = "nodes";
  std::string topology;
  std::uint32_t nodes = 0;
  std::vector<std::string> links;
  std::string output;
};

double read_positive(std::string_view text, std::string_view whole) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || !(value > 0) ||
      !std::isfinite(value))
    throw UsageError(fmt::format(
        "--link {}: expected DISTANCE=LATENCY,BANDWIDTH in seconds and bytes a second, such as "
        "network=2e-6,1.2e10",
        shortened(whole)));
  return value;
}

void set_link(Machine& machine, std::string_view text) {
  for (std::size_t i = 0; i < kDistances; ++i) {
    const std::string_view name = name_of(static_cast<Distance>(i));
    if (!text.starts_with(name) || text.substr(name.size(), 1) != "=") continue;
    const std::string_view figures = text.substr(name.size() + 1);
    const std::size_t comma = std::min(figures.find(','), figures.size());
    machine.links[i] = {{read_positive(figures.substr(0, comma), text)},
                        {read_positive(figures.substr(std::min(comma + 1, figures.size())), text)},
                        Origin::kGiven};
    return;
  }
  throw UsageError(fmt::format("--link {}: expected die=, package=, node= or network= in front",
                               shortened(text)));
}

void run(const Options& options) {
  Machine machine;
  machine.name = options.name;
  machine.topology = topology_text(options.topology);
  const commgraph::NodeTopology node = commgraph::load_topology(
      machine.topology, options.topology.empty() ? "this machine" : options.topology);
  machine.nodes = options.nodes;
  machine.node_memory = node.memory;
  for (const std::string& link : options.links) set_link(machine, link);
  render::put_out(to_json(machine), options.output);
  const std::string numa =
      node.numa_per_package > 0 ? fmt::format("{} NUMA nodes x ", node.numa_per_package) : "";
  fmt::print(stderr, "huddle: a node of {} package(s) x {}{} die(s) ({}) x {} core(s)\n",
             node.packages, numa, node.dies_per_numa(), name_of(node.die_level),
             node.cores_per_die);
}

}  // namespace

void add_machine_command(cli::App& app) {
  auto options = std::make_shared<Options>();
  cli::App* command = app.add_subcommand(
      "machine",
      "Describe the nodes of a site: run it on one of them, or give it another one's topology. "
      "calibrate measures messages and memory, and power takes what huddle-energyd measured; see "
      "their --help. Nothing else is measured");
  command->add_option("--name", options->name, "what to call it")->capture_default_str();
  command->add_option("--topology", options->topology,
                      "hwloc's synthetic form (\"package:2 die:2 core:2 pu:1\") or an XML file of "
                      "lstopo's (default: this machine)");
  command->add_option("--nodes", options->nodes, "how many such nodes there are");
  command->add_option("--link", options->links,
                      "die|package|node|network=LATENCY,BANDWIDTH in s and B/s; what is not given "
                      "stays an assumption, and is marked as one");
  command->add_option("-o,--output", options->output, "where it goes (default: standard output)")
      ->value("FILE");
  const cli::App* calibrate = add_machine_calibrate_command(*command);
  const cli::App* power = add_machine_power_command(*command);
  command->add_example("huddle machine --name site --nodes 8 -o machine.json",
                       "on a node of the site");
  command->add_example(
      "huddle machine --topology \"package:2 [numa(memory=34359738368)] die:2 core:2 pu:1\" -o "
      "machine.json",
      "elsewhere, for nodes with 64 GiB");
  command->callback([options, calibrate, power] {
    if (!calibrate->parsed() && !power->parsed()) run(*options);
  });
}

}  // namespace huddle::cli
