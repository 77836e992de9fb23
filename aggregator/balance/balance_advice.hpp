#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::balance {

/// A program's gain from clocks that follow the ranks' loads, against all of them at the top: by
/// simulation, if loads are as they were measured, and all work follows the clock.
struct BalanceAdvice {
  /// Equation 2 of the mean loads: how many times as long the longest is as the shortest; infinite
  /// if a rank has none.
  double imbalance = 1;
  /// Shares: of the energy of the cores, each with its part of what else its node draws; and of the
  /// time.
  double saved = 0;
  double slowdown = 0;
};

/// `clock_of`: by rank, a number for the clock that it shares with others; empty: each its own.
/// Nothing where too little is known (no phases, a run that was cut short, no two clocks with known
/// power), and where less than 1 % would be saved.
std::optional<BalanceAdvice> advise_balancing(const Profile& profile, const Machine& machine,
                                              const std::vector<std::uint32_t>& clock_of);

/// One sentence for people, with how to ask for it.
std::string text_of(const BalanceAdvice& advice);

}  // namespace huddle::balance
