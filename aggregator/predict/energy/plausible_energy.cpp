#include "aggregator/predict/energy/plausible_energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "commgraph/topology/node_topology.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::predict {
namespace {

constexpr Seconds kBetweenReadings{10};

// NO_VAL and INFINITE of slurm.h, and their twins of 64 bits.
constexpr std::array<double, 4> kNoValue = {4294967294.0, 4294967295.0, 18446744073709551614.0,
                                            18446744073709551615.0};

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

}  // namespace

PowerBound power_bound(const Machine& machine) {
  PowerBound bound;
  if (!machine.power) return bound;
  const PowerFigures& power = *machine.power;
  const commgraph::NodeTopology node = commgraph::load_topology(machine.topology, machine.name);
  Watts core = power.core;
  Watts package = power.package;
  Watts die = power.die;
  if (machine.frequencies)
    for (const PowerPoint& point : machine.frequencies->power) {
      core = std::max(core, point.core);
      package = std::max(package, point.package.value_or(package));
      die = std::max(die, point.die.value_or(die));
    }
  const double dies = node.packages * node.dies_per_package;
  const Watts busy = power.idle_node + node.packages * package + dies * die +
                     static_cast<double>(node.cores.size()) * core;
  bound.most = 2 * busy;
  return bound;
}

CheckedEnergy check_energy(std::string_view text, std::uint32_t nodes, Seconds elapsed,
                           const PowerBound& bound) {
  if (text.empty()) return {};
  const auto joules = number_in(text);
  if (!joules) return {std::nullopt, fmt::format("\"{}\" is no number", shortened(text, 20))};
  if (*joules == 0 || std::find(kNoValue.begin(), kNoValue.end(), *joules) != kNoValue.end())
    return {};
  const double most = nodes * bound.most.value * (elapsed + kBetweenReadings).value;
  const double least = nodes * bound.least.value * (elapsed - kBetweenReadings).value;
  const auto doubted = [&](std::string_view than_what, double limit) {
    return CheckedEnergy{std::nullopt,
                         fmt::format("{:.4g} J is {} the {:.4g} J of {} nodes in {:.4g} s", *joules,
                                     than_what, limit, nodes, elapsed.value)};
  };
  if (*joules < 0) return {std::nullopt, fmt::format("{:.4g} J is negative", *joules)};
  if (*joules > most) return doubted("more than", most);
  if (*joules < least) return doubted("less than", least);
  return {Joules{*joules}, {}};
}

}  // namespace huddle::predict
