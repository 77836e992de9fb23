#include "aggregator/predict/energy/pattern_energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "profiles/vocabulary/error.hpp"

namespace huddle::predict {
namespace {

// The ranks of one node.
struct NodeUse {
  std::set<std::uint32_t> packages;
  std::set<std::pair<std::uint32_t, std::uint32_t>> dies;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> cores;
  std::uint32_t ranks_on_any_package = 0;
  std::uint32_t ranks_on_any_die = 0;   // of a known package
  std::uint32_t ranks_on_any_core = 0;  // or die, or package
};

std::uint32_t count_of(std::size_t known, std::uint32_t anywhere, std::uint32_t most) {
  return std::min(static_cast<std::uint32_t>(known) + anywhere, most);
}

}  // namespace

BusyParts busy_parts(const std::vector<Location>& locations, const commgraph::NodeTopology& node) {
  std::map<std::uint32_t, NodeUse> nodes;
  for (const Location& location : locations) {
    NodeUse& use = nodes[location.node];
    if (location.core == Location::kSeveral)
      ++use.ranks_on_any_core;
    else
      use.cores.insert({location.package, location.die, location.core});
    if (location.package == Location::kSeveral) {
      ++use.ranks_on_any_package;
      continue;
    }
    use.packages.insert(location.package);
    if (location.die == Location::kSeveral)
      ++use.ranks_on_any_die;
    else
      use.dies.insert({location.package, location.die});
  }
  BusyParts busy;
  busy.nodes = static_cast<std::uint32_t>(nodes.size());
  for (const auto& [number, use] : nodes) {
    busy.packages += count_of(use.packages.size(), use.ranks_on_any_package, node.packages);
    busy.dies += count_of(use.dies.size(), use.ranks_on_any_package + use.ranks_on_any_die,
                          node.packages * node.dies_per_package);
    // Several PUs of a core draw what one does, as far as power figures know.
    busy.cores += static_cast<std::uint32_t>(use.cores.size()) + use.ranks_on_any_core;
  }
  return busy;
}

BusyParts BusyParts::for_ranks_of(const RankShape& rank) const {
  return {nodes, packages * rank.packages, dies * rank.dies * rank.packages, cores * rank.cores};
}

Watts power_of(const PowerFigures& power, const BusyParts& busy) {
  return busy.nodes * power.idle_node + busy.packages * power.package + busy.dies * power.die +
         busy.cores * power.core;
}

Joules energy_of(const PowerFigures& power, const BusyParts& busy, Seconds time) {
  return {power_of(power, busy).value * time.value};
}

namespace {

// Power of one part at one frequency.
struct Known {
  double hertz = 0;
  double watts = 0;
};

double cube(double value) {
  return value * value * value;
}

// `known`: one or more, ascending by frequency.
Watts at(const std::vector<Known>& known, Hertz frequency) {
  if (known.size() == 1) return {known.front().watts};
  const auto above = std::find_if(known.begin() + 1, known.end() - 1, [&](const Known& point) {
    return point.hertz >= frequency.value;
  });
  const Known& high = *above;
  const Known& low = *(above - 1);
  // In units of the higher one, so that no cube is out of range.
  const double low_cube = cube(low.hertz / high.hertz);
  const double way = (cube(frequency.value / high.hertz) - low_cube) / (1 - low_cube);
  return {std::max(low.watts + way * (high.watts - low.watts), 0.0)};
}

template <class PartOf>
Watts part_at(const Frequencies& frequencies, Watts nominal, Hertz frequency, PartOf part_of) {
  if (frequency == frequencies.nominal) return nominal;
  std::vector<Known> known = {{frequencies.nominal.value, nominal.value}};
  for (const PowerPoint& point : frequencies.power)
    if (const std::optional<Watts> watts = part_of(point))
      known.push_back({point.frequency.value, watts->value});
  std::sort(known.begin(), known.end(),
            [](const Known& a, const Known& b) { return a.hertz < b.hertz; });
  return at(known, frequency);
}

}  // namespace

bool power_depends_on_frequency(const Machine& machine) {
  return machine.power && machine.frequencies && !machine.frequencies->power.empty();
}

PowerFigures power_at(const Machine& machine, Hertz frequency) {
  if (!machine.power || !machine.frequencies)
    throw Error(
        fmt::format("the machine {} has no power figures by frequency: add \"power\" and "
                    "\"frequencies\" to its document",
                    shortened(machine.name)));
  const Frequencies& frequencies = *machine.frequencies;
  PowerFigures figures = *machine.power;
  figures.core = part_at(frequencies, figures.core, frequency,
                         [](const PowerPoint& point) { return std::optional(point.core); });
  figures.package = part_at(frequencies, figures.package, frequency,
                            [](const PowerPoint& point) { return point.package; });
  figures.die = part_at(frequencies, figures.die, frequency,
                        [](const PowerPoint& point) { return point.die; });
  return figures;
}

}  // namespace huddle::predict
