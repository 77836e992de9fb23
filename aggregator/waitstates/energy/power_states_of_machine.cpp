#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "aggregator/predict/energy/power_at_frequency.hpp"
#include "aggregator/waitstates/energy/power_states.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// Of the order that processors need to change their clock, at full power meanwhile.
constexpr double kAssumedTransitionSeconds = 1e-5;

double core_count(const NodeTopology& node) {
  return double{1} * node.packages * node.dies_per_package * node.cores_per_die;
}

// A core's share of a node all of whose cores are busy.
double busy_core_w(const PowerFigures& power, const NodeTopology& node) {
  const double dies = double{1} * node.packages * node.dies_per_package;
  return (power.idle_node.value + node.packages * power.package.value + dies * power.die.value) /
             core_count(node) +
         power.core.value;
}

PowerState state_at(const Machine& machine, const NodeTopology& node, Hertz frequency) {
  PowerState state;
  state.name = fmt::format("{:.6g} MHz", frequency.value / 1e6);
  state.frequency_hz = frequency.value;
  state.active_w = busy_core_w(power_at(machine, frequency), node);
  state.idle_w = machine.power->idle_node.value / core_count(node);
  return state;
}

std::string origin_of_figures(const Machine& machine, bool by_frequency) {
  std::string text =
      fmt::format("derived from the machine's power figures ({}), a core's share of its node",
                  name_of(machine.power->origin));
  if (by_frequency)
    text += fmt::format("; that a change of frequency takes {:g} us at full power is assumed",
                        kAssumedTransitionSeconds * 1e6);
  else
    text += "; power at other frequencies is not known, so there is one state";
  return text;
}

PowerStates derived_states(const Machine& machine) {
  const NodeTopology node = load_topology(machine.topology, machine.name);
  const bool by_frequency = power_depends_on_frequency(machine);
  PowerStates power{machine.name, origin_of_figures(machine, by_frequency), {}};
  if (!by_frequency) {
    const double idle = machine.power->idle_node.value / core_count(node);
    power.states.push_back(
        {.name = "as it runs",
         .active_w = busy_core_w(*machine.power, node),
         .idle_w = idle,
         .frequency_hz = machine.frequencies ? machine.frequencies->nominal.value : 0});
    return power;
  }
  for (const Hertz frequency : machine.frequencies->settable)
    if (frequency <= machine.frequencies->nominal)
      power.states.push_back(state_at(machine, node, frequency));
  std::reverse(power.states.begin(), power.states.end());
  for (std::size_t i = 1; i < power.states.size(); ++i) {
    power.states[i].transition_s = kAssumedTransitionSeconds;
    power.states[i].transition_j = kAssumedTransitionSeconds * power.states[0].active_w;
  }
  return power;
}

}  // namespace

PowerStates power_states_of(const Machine& machine) {
  if (machine.power_states) {
    const CorePowerStates& told = *machine.power_states;
    std::string origin(name_of(told.origin));
    if (!told.source.empty()) origin += ": " + told.source;
    return {machine.name, std::move(origin), told.states};
  }
  if (machine.power) return derived_states(machine);
  throw Error(fmt::format(
      "the machine {} tells no power: add \"power_states\", or \"power\" (and \"frequencies\" with "
      "their power), to its document, or take one on file that has them, such as xeon-x5560",
      shortened(machine.name)));
}

}  // namespace huddle
