#include "aggregator/forecast/machine_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "aggregator/forecast/program_runs.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/vocabulary/counted.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {

double MachineLayout::threads_on_node(const Configuration& where) {
  return std::ceil(where.processes / where.nodes) * where.threads;
}

double MachineLayout::packages_for(const Configuration& where) const {
  return std::clamp(std::ceil(threads_on_node(where) / cores_per_package), 1.0, packages);
}

bool MachineLayout::has_cores_for(const Configuration& where, bool counted) const {
  return threads_on_node(where) <= (counted ? where.packages : packages) * cores_per_package;
}

std::string MachineLayout::why_impossible(const Configuration& where, bool counted) const {
  const double used = counted ? where.packages : packages;
  const double most = used * cores_per_package * threads_per_core;
  if (nodes > 0 && where.nodes > nodes)
    return fmt::format("{:.10g} nodes: {} has {:.10g}", where.nodes, shortened(name), nodes);
  if (where.packages > packages)
    return fmt::format("{:.10g} packages of each node: those of {} have {:.10g}", where.packages,
                       shortened(name), packages);
  if (threads_on_node(where) > most)
    return fmt::format("{:.10g} processes x {:.10g} threads on {}: {} has {:.10g} hardware threads",
                       where.processes, where.threads,
                       huddle::counted(static_cast<std::uint64_t>(where.nodes), "node"),
                       used == packages ? fmt::format("a node of {}", shortened(name))
                                        : fmt::format("with {:.10g} of its packages, a node of {}",
                                                      used, shortened(name)),
                       most);
  return {};
}

MachineLayout machine_layout(const Machine& machine) {
  const NodeTopology node = load_topology(machine.topology, "the machine's topology");
  MachineLayout layout;
  layout.name = machine.name;
  layout.nodes = machine.nodes;
  layout.packages = node.packages;
  layout.cores_per_package = node.dies_per_package * node.cores_per_die;
  for (const NodeTopology::Core& core : node.cores)
    layout.threads_per_core =
        std::max(layout.threads_per_core, static_cast<double>(core.pus.size()));
  if (machine.power && machine.power->origin != Origin::kAssumed)
    layout.idle = {machine.power->idle_node.value, machine.power->package.value};
  return layout;
}

bool add_packages(MeasurementTable& rows, const MachineLayout& machine) {
  const std::vector<Configuration> where = configurations_of(rows);
  MeasuredColumn packages{ColumnRole::packages, "packages", "", {}};
  const bool counted = rows.find(ColumnRole::packages) != nullptr;
  for (std::size_t row = 0; row < where.size(); ++row) {
    const std::string why = machine.why_impossible(where[row], counted);
    if (!why.empty())
      throw Error(fmt::format(
          "a row has {}: expected rows of that machine, with a column of nodes (or ranks_per_node) "
          "if they used several (--column nodes=NAME, --set nodes=N)",
          why));
    packages.values.push_back(machine.packages_for(where[row]));
  }
  if (counted || packages.values.empty() || std::ranges::all_of(packages.values, [&](double value) {
        return value == packages.values[0];
      }))
    return false;
  const auto behind = std::ranges::find_if(rows.columns, [](const MeasuredColumn& column) {
    return column.role > ColumnRole::packages;
  });
  rows.columns.insert(behind, std::move(packages));
  return true;
}

}  // namespace huddle
