#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiles/balancing/clock_steps.hpp"
#include "profiles/balancing/workload.hpp"

namespace huddle::balancing {

/// Clocks that follow loads, as EnergyLB chooses them (Padoin et al., section 2).
struct ClockChoice {
  /// The clock of each domain: of cores that share one clock. That of a domain without a core is
  /// the least.
  std::vector<Hertz> clocks;
  /// The time that the work takes: as long as the longest workload, whatever the clocks.
  Seconds length;
  /// Equation 2: the longest workload over the shortest, both at the top clock. 1 if there is no
  /// work at all; infinite if a core has none and another has some.
  double imbalance = 1;
  /// True if the imbalance is more than clocks can level out: a time balancer is to move work. The
  /// clocks are right all the same: whoever can wait does so at the least one.
  bool beyond_clocks = false;
};

/// The least clock at which this work is done by `deadline`; most() if there is none.
Hertz least_clock(const Workload& work, Seconds deadline, const ClockSteps& steps);

/// For each domain the least clock at which none of its cores ends later than the most loaded core
/// does at the top clock. `domain_of` has a domain's number for each workload, below `domains`.
/// With a domain for each core this is the published fine-grained (FG) variant, else the
/// coarse-grained (CG) one: the most loaded core of a domain decides. The present clocks play no
/// part, and the result is the same if it is chosen again once it is in force. Throws Error if
/// sizes don't match.
ClockChoice choose_clocks(std::span<const Workload> work, std::span<const std::uint32_t> domain_of,
                          std::uint32_t domains, const ClockSteps& steps);

/// Equation 2.
double imbalance_of(std::span<const Workload> work);

}  // namespace huddle::balancing
