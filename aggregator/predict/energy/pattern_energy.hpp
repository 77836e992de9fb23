#pragma once

// Power and energy of a job on a placement, from the machine's power figures.

#include <cstdint>
#include <vector>

#include "aggregator/predict/pattern/placement.hpp"
#include "aggregator/predict/pattern/rank_shape.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::predict {

/// The hardware that a job keeps busy.
struct BusyParts {
  std::uint32_t nodes = 0;
  std::uint32_t packages = 0;
  std::uint32_t dies = 0;
  std::uint32_t cores = 0;

  /// The same where `dies` and so on count slots of a node (slots_of_node) for such ranks: each
  /// rank keeps all of its cores busy.
  [[nodiscard]] BusyParts for_ranks_of(const RankShape& rank) const;

  friend bool operator==(const BusyParts&, const BusyParts&) = default;
};

/// The hardware that ranks at these locations keep busy. Ranks that may run on several packages (or
/// dies) of their node keep as many of them busy as they can.
BusyParts busy_parts(const std::vector<Location>& locations, const commgraph::NodeTopology& node);

/// The power that a job draws while it runs.
Watts power_of(const PowerFigures& power, const BusyParts& busy);

/// The energy of a job that runs for `time`, on its own nodes. A rank that waits in MPI counts as
/// busy, since MPI libraries poll.
Joules energy_of(const PowerFigures& power, const BusyParts& busy, Seconds time);

/// True if the machine has power figures at other frequencies than the nominal one.
bool power_depends_on_frequency(const Machine& machine);

/// The power figures of a machine whose cores run at `frequency`, above 0. Each part's power is
/// P = a + c f^3 through the two known frequencies around it (dynamic power is C V^2 f, and voltage
/// is raised with frequency); beyond the outermost ones through the two nearest, never below 0. A
/// part that is known at the nominal frequency only draws the same at every one; so do nodes that
/// do nothing. Throws Error if the machine has no power figures, or no frequencies.
PowerFigures power_at(const Machine& machine, Hertz frequency);

}  // namespace huddle::predict
