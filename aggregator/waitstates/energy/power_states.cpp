#include "aggregator/waitstates/energy/power_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "aggregator/predict/energy/pattern_energy.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::waitstates {
namespace {

constexpr double kNanojoules = 1e9;  // of a joule

void check(const PowerStates& power, const PowerState& state, double value, std::string_view what) {
  if (std::isfinite(value) && value >= 0) return;
  throw Error(fmt::format("the power state {} of {} has {} = {}, expected a number from 0",
                          shortened(state.name), shortened(power.machine), what, value));
}

void check(const PowerStates& power) {
  if (power.states.empty())
    throw Error(
        fmt::format("{} has no power state, expected at least one", shortened(power.machine)));
  for (const PowerState& state : power.states) {
    check(power, state, state.active_w, "active_w");
    check(power, state, state.idle_w, "idle_w");
    check(power, state, state.transition_s, "transition_s");
    check(power, state, state.transition_j, "transition_j");
  }
  const PowerState& first = power.states[0];
  if (first.transition_s > 0 || first.transition_j > 0)
    throw Error(
        fmt::format("the first power state of {}, {}, has a transition, expected none: "
                    "programs run in it",
                    shortened(power.machine), shortened(first.name)));
}

std::int64_t whole(double nanojoules) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  constexpr double kLargest = 9.2e18;
  if (nanojoules >= kLargest) return kMost;
  if (nanojoules <= -kLargest) return -kMost;
  return std::llround(nanojoules);
}

void add_bounded(std::int64_t& sum, std::int64_t value) {
  if (__builtin_add_overflow(sum, value, &sum))
    sum = value > 0 ? std::numeric_limits<std::int64_t>::max()
                    : std::numeric_limits<std::int64_t>::min();
}

void add_counts(std::vector<std::uint64_t>& sums, const std::vector<std::uint64_t>& counts) {
  if (sums.size() < counts.size()) sums.resize(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) sums[i] += counts[i];
}

struct Best {
  std::size_t state = 0;
  double nanojoules = 0;

  void consider(std::size_t candidate, double saving) {
    if (saving > nanojoules) *this = {candidate, saving};
  }
};

}  // namespace

PowerLimits limits_of(const PowerStates& power) {
  check(power);
  const double full = power.states[0].active_w;
  if (full <= 0) return {};
  PowerLimits limits{1 - power.states[0].idle_w / full, 0};
  for (const PowerState& state : power.states) {
    limits.idle = std::max(limits.idle, 1 - state.idle_w / full);
    limits.busy = std::max(limits.busy, 1 - state.active_w / full);
  }
  return limits;
}

void WaitEnergy::add(const WaitEnergy& other) {
  add_bounded(spent_nj, other.spent_nj);
  add_bounded(saving_nj, other.saving_nj);
  add_bounded(busy_saving_nj, other.busy_saving_nj);
  add_counts(winners, other.winners);
  add_counts(busy_winners, other.busy_winners);
}

WaitCost::WaitCost(const PowerStates& power, double ticks_per_second) {
  check(power);
  if (!std::isfinite(ticks_per_second) || ticks_per_second <= 0)
    throw Error(
        fmt::format("a clock of {} ticks a second, expected a number above 0", ticks_per_second));
  const double scale = kNanojoules / ticks_per_second;
  lines_.reserve(power.states.size());
  for (const PowerState& state : power.states)
    lines_.push_back({state.active_w * scale, state.idle_w * scale,
                      state.transition_s * ticks_per_second, state.transition_j * kNanojoules});
}

void WaitCost::add_to(WaitEnergy& sums, std::uint64_t ticks, double spent_nj) const {
  const auto length = static_cast<double>(ticks);
  const double spent = assumed(ticks);
  const double measured = spent > 0 ? spent_nj / spent : 0;
  Best idle{0, spent - length * lines_[0].idle_nj_per_tick};
  Best busy;  // in the first state it saves nothing
  for (std::size_t p = 1; p < lines_.size(); ++p) {
    const Line& line = lines_[p];
    const double rest = length - line.transition_ticks;
    if (rest < 0) continue;
    idle.consider(p, spent - (rest * line.idle_nj_per_tick + line.transition_nj));
    busy.consider(p, spent - (rest * line.active_nj_per_tick + line.transition_nj));
  }
  if (sums.winners.empty()) sums.winners.resize(lines_.size());
  if (sums.busy_winners.empty()) sums.busy_winners.resize(lines_.size());
  add_bounded(sums.spent_nj, whole(spent_nj));
  add_bounded(sums.saving_nj, whole(measured * idle.nanojoules));
  add_bounded(sums.busy_saving_nj, whole(measured * busy.nanojoules));
  ++sums.winners[idle.state];
  if (busy.state != 0) ++sums.busy_winners[busy.state];
}

namespace {

// Of the order that processors need to change their clock, at full power meanwhile.
constexpr double kAssumedTransitionSeconds = 1e-5;

double core_count(const commgraph::NodeTopology& node) {
  return double{1} * node.packages * node.dies_per_package * node.cores_per_die;
}

// A core's share of a node all of whose cores are busy.
double busy_core_w(const PowerFigures& power, const commgraph::NodeTopology& node) {
  const double dies = double{1} * node.packages * node.dies_per_package;
  return (power.idle_node.value + node.packages * power.package.value + dies * power.die.value) /
             core_count(node) +
         power.core.value;
}

PowerState state_at(const Machine& machine, const commgraph::NodeTopology& node, Hertz frequency) {
  PowerState state;
  state.name = fmt::format("{:.6g} MHz", frequency.value / 1e6);
  state.frequency_hz = frequency.value;
  state.active_w = busy_core_w(predict::power_at(machine, frequency), node);
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
  const commgraph::NodeTopology node = commgraph::load_topology(machine.topology, machine.name);
  const bool by_frequency = predict::power_depends_on_frequency(machine);
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
    const CorePowerStates& own = *machine.power_states;
    std::string origin(name_of(own.origin));
    if (!own.source.empty()) origin += ": " + own.source;
    return {machine.name, std::move(origin), own.states};
  }
  if (machine.power) return derived_states(machine);
  throw Error(fmt::format(
      "the machine {} has no power figures: add \"power_states\", or \"power\" (and "
      "\"frequencies\" with "
      "their power), to its document, or take one on file that has them, such as xeon-x5560",
      shortened(machine.name)));
}

}  // namespace huddle::waitstates
