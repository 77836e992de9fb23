#pragma once

// The energy of nodes that a job leaves unused. All that predicts or counts energy asks here what
// that is (decision 0112).

#include <cstdint>
#include <optional>
#include <vector>

#include "profiles/formats/machine/machine.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::predict {

/// The energy of `nodes` nodes that a job does not use while it runs for `time`. Nodes that other
/// jobs get count as nothing: those jobs draw their power. One that sleeps is idle before.
Joules energy_of_unused(const PowerFigures& power, const std::vector<FateShare>& fates,
                        double nodes, Seconds time);

/// The nodes that a job had and does not use any more.
constexpr std::uint32_t nodes_left(std::uint32_t before, std::uint32_t now) {
  return before > now ? before - now : 0;
}

/// The energy that the machine needs while a job runs: `job`, that of the job's own nodes, and that
/// of the nodes that it leaves unused. Absent where other jobs get all of these: they stay on as
/// before, and the machine needs what it needed.
std::optional<Joules> machine_energy(Joules job, const PowerFigures& power,
                                     const std::vector<FateShare>& fates, double unused,
                                     Seconds time);

}  // namespace huddle::predict
