#include "aggregator/balance/balanced_machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "aggregator/waitstates/energy/power_states.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::balance {

BalanceHardware balance_hardware(const Machine& machine) {
  const waitstates::PowerStates states = waitstates::power_states_of(machine);
  BalanceHardware hardware;
  hardware.origin = states.origin;
  const double top = states.states.front().frequency_hz;
  for (const PowerState& state : states.states)
    if (state.frequency_hz > 0 && state.frequency_hz <= top)
      hardware.power.push_back({{state.frequency_hz}, {state.active_w}, {state.active_w}});
  std::sort(hardware.power.begin(), hardware.power.end(),
            [](const CorePower& a, const CorePower& b) { return a.clock < b.clock; });
  const auto same =
      std::unique(hardware.power.begin(), hardware.power.end(),
                  [](const CorePower& a, const CorePower& b) { return a.clock == b.clock; });
  hardware.power.erase(same, hardware.power.end());
  if (hardware.power.size() < 2)
    throw Error(fmt::format(
        "the machine {} has {} with known power and frequency; expected two or more: add "
        "\"power_states\" or \"frequencies\" to its document (huddle-machine(1))",
        shortened(machine.name), hardware.power.empty() ? "no clock" : "one clock"));
  const commgraph::NodeTopology node =
      commgraph::load_topology(machine.topology, "the machine's topology");
  hardware.cores_per_package = node.dies_per_package * node.cores_per_die;
  hardware.cores_per_node = node.packages * hardware.cores_per_package;
  return hardware;
}

}  // namespace huddle::balance
