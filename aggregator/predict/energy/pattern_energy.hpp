#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/predict/pattern/location.hpp"
#include "aggregator/predict/pattern/rank_shape.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// What becomes of the nodes that the reference would use and a pattern does not.
enum class UnusedNodes : std::uint8_t {
  kOff,      ///< switched off or asleep
  kIdle,     ///< on, with nothing to do
  kIgnored,  ///< someone else's: not counted
};

/// How much hardware a job keeps busy.
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

/// What ranks at these locations keep busy. Ranks that may run on several packages (or dies) of
/// their node keep as many of them busy as they can.
BusyParts busy_parts(const std::vector<Location>& locations, const NodeTopology& node);

/// What a job draws while it runs.
Watts power_of(const PowerFigures& power, const BusyParts& busy);

/// The energy of a job that runs for `time`, with that of `unused` nodes beside it. A rank that
/// waits in MPI counts as busy, since MPI libraries poll.
Joules energy_of(const PowerFigures& power, const BusyParts& busy, Seconds time,
                 std::uint32_t unused, UnusedNodes become);

}  // namespace huddle
