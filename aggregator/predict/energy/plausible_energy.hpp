#pragma once

// Tells measured energies that are possible from those of broken meters.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/formats/machine/machine.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::predict {

/// The power that a node may draw.
struct PowerBound {
  /// More than any node draws that is cooled by air, accelerators included.
  Watts most{10000};
  /// Less than any node that is on.
  Watts least{1};
};

/// With the machine's power figures: at most twice what they give for a node whose cores are all
/// busy, at the frequency at which they draw most; figures may be wrong, or leave accelerators and
/// fans out. Without, the bound for any node. Throws FormatError if hwloc can't read the topology.
PowerBound power_bound(const Machine& machine);

/// An energy figure that was checked.
struct CheckedEnergy {
  /// Absent: there is none, or it can't be right.
  std::optional<Joules> energy;
  /// The figure that was found, and why it can't be right; empty if it can, or if there is none.
  std::string doubt;
};

/// The energy of a step in Slurm's accounting, `text` being its ConsumedEnergyRaw. No figure:
/// empty, 0 (Slurm's word for a node without a meter), and what Slurm writes for "no value".
/// Doubted: what is no number or negative, and more or less than `nodes` nodes can draw in
/// `elapsed`, as a counter gives that overflowed or was reset. Meters are read now and then only,
/// so 10 s more or less are allowed for.
CheckedEnergy check_energy(std::string_view text, std::uint32_t nodes, Seconds elapsed,
                           const PowerBound& bound);

}  // namespace huddle::predict
