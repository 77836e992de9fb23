// huddle machine: describes the nodes of a site in a machine document.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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
  std::vector<std::string> counted_memory;
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

// Adds kinds of special memory to what ranks get; a line for people about those that are left.
std::string count_memory(const Options& options, const commgraph::NodeTopology& node,
                         Machine& machine) {
  const auto is_counted = [&](const std::string& kind) {
    return std::ranges::find(options.counted_memory, kind) != options.counted_memory.end();
  };
  machine.node_memory = node.memory;
  std::vector<std::string> left;
  std::vector<std::string> kinds;
  for (const auto& [kind, memory] : node.special_memory) {
    kinds.push_back(kind);
    if (is_counted(kind))
      machine.node_memory.value += memory.value;
    else
      left.push_back(
          fmt::format("{:.4g} GiB of {}", static_cast<double>(memory.value) / (1U << 30U), kind));
  }
  for (const std::string& kind : options.counted_memory)
    if (std::ranges::find(kinds, kind) == kinds.end())
      throw UsageError(fmt::format(
          "--count-memory {}: the topology has no such memory beside the "
          "ordinary one: {}",
          shortened(kind), kinds.empty() ? "none" : fmt::format("{}", fmt::join(kinds, ", "))));
  if (left.empty()) return {};
  return fmt::format(
      "huddle: ranks get the {:.4g} GiB of ordinary memory; beside it: {} (--count-memory KIND "
      "counts it, too)\n",
      static_cast<double>(machine.node_memory.value) / (1U << 30U), fmt::join(left, ", "));
}

void run(const Options& options) {
  Machine machine;
  machine.name = options.name;
  machine.topology = topology_text(options.topology);
  const commgraph::NodeTopology node = commgraph::load_topology(
      machine.topology, options.topology.empty() ? "this machine" : options.topology);
  machine.nodes = options.nodes;
  const std::string beside = count_memory(options, node, machine);
  for (const std::string& link : options.links) set_link(machine, link);
  render::put_out(to_json(machine), options.output);
  const std::string numa =
      node.numa_per_package > 0 ? fmt::format("{} NUMA nodes x ", node.numa_per_package) : "";
  fmt::print(stderr, "huddle: a node of {} package(s) x {}{} die(s) ({}) x {} core(s)\n",
             node.packages, numa, node.dies_per_numa(), name_of(node.die_level),
             node.cores_per_die);
  fmt::print(stderr, "{}", beside);
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
  command
      ->add_option("--count-memory", options->counted_memory,
                   "memory of this kind (GPUMemory, HBM, NVM, ...), which programs must ask for, "
                   "is for ranks, too; may be given several times")
      ->value("KIND")
      ->expected(1)
      ->take_all();
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
