#include "aggregator/balance/balance_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "aggregator/balance/balance_simulation.hpp"
#include "aggregator/balance/balanced_machine.hpp"
#include "aggregator/balance/profile_loads.hpp"
#include "profiles/balancing/clock_choice.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::balance {
namespace {

constexpr double kWorthSaying = 0.01;

// Balance points are ten iterations apart, so that clocks settle within these. Many ranks get fewer
// iterations, which takes less than a second.
std::uint64_t iterations_for(std::uint32_t ranks) {
  constexpr std::uint64_t kFewest = 60;
  constexpr std::uint64_t kMost = 200;
  constexpr std::uint64_t kSteps = 1U << 20U;
  return std::clamp(kSteps / std::max(ranks, 1U), kFewest, kMost);
}

double imbalance_of(const Profile& profile) {
  std::vector<balancing::Workload> work;
  for (const RankRecord& record : profile.rank_records)
    work.push_back({std::max(record.computation_time(), Seconds{0}), 1});
  return balancing::imbalance_of(work);
}

BalanceScheme scheme_of(bool clocks, const std::vector<std::uint32_t>& clock_of) {
  BalanceScheme scheme;
  scheme.clocks = clocks;
  std::map<std::uint32_t, std::uint32_t> numbers;
  for (const std::uint32_t clock : clock_of)
    scheme.domain_of.push_back(
        numbers.emplace(clock, static_cast<std::uint32_t>(numbers.size())).first->second);
  return scheme;
}

std::optional<BalanceAdvice> simulated(const Profile& profile, const Machine& machine,
                                       const std::vector<std::uint32_t>& clock_of) {
  const BalanceHardware hardware = balance_hardware(machine);
  const ProfileLoads loads = loads_of_profile(profile, iterations_for(profile.ranks));
  BalancedMachine simulated;
  simulated.power = hardware.power;
  simulated.besides = loads.besides;
  const BalanceOutcome as_is =
      simulate_balancing(loads.table, simulated, scheme_of(false, clock_of));
  const BalanceOutcome balanced =
      simulate_balancing(loads.table, simulated, scheme_of(true, clock_of));
  if (!(as_is.time > Seconds{0}) || !(as_is.energy > Joules{0})) return std::nullopt;
  return BalanceAdvice{imbalance_of(profile), 1 - balanced.energy / as_is.energy,
                       balanced.time / as_is.time - 1};
}

}  // namespace

std::optional<BalanceAdvice> advise_balancing(const Profile& profile, const Machine& machine,
                                              const std::vector<std::uint32_t>& clock_of) {
  try {
    const std::optional<BalanceAdvice> advice = simulated(profile, machine, clock_of);
    return advice && advice->saved >= kWorthSaying ? advice : std::nullopt;
  } catch (const Error&) {  // too little is known
    return std::nullopt;
  }
}

std::string text_of(const BalanceAdvice& advice) {
  const std::string differ =
      std::isfinite(advice.imbalance)
          ? fmt::format("the longest is {:.2f} times the shortest", advice.imbalance)
          : "and some ranks have none";
  return fmt::format(
      "clocks that follow the ranks' loads ({}) would save {:.1f} % of the cores' energy at "
      "{:+.1f} % time, if loads are as measured and all work follows the clock "
      "(--energy-aggregate=energy=balance; see huddle balance)",
      differ, 100 * advice.saved, 100 * advice.slowdown);
}

}  // namespace huddle::balance
