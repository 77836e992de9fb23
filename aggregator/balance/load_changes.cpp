#include "aggregator/balance/load_changes.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "profiles/balancing/clock_choice.hpp"

namespace huddle::balance {
namespace {

/// A load that is longer by this share of itself was not foreseen: as balancers see it.
constexpr double kOdd = 0.25;

/// The clocks by which each rank would end when the longest does.
std::vector<Hertz> clocks_for(const std::vector<double>& loads,
                              const balancing::ClockSteps& steps) {
  const double longest = *std::ranges::max_element(loads);
  std::vector<Hertz> clocks;
  for (const double load : loads)
    clocks.push_back(balancing::least_clock({{load}, 1}, {longest}, steps));
  return clocks;
}

}  // namespace

std::vector<double> processor_loads(const LoadTable& table, std::size_t iteration) {
  std::vector<double> loads(table.processors, 0);
  for (std::size_t object = 0; object < table.objects(); ++object)
    loads[table.processor_of[object]] += table.load(iteration, object);
  return loads;
}

LoadChanges changes_between_looks(const LoadTable& table, const BalancedMachine& machine,
                                  std::uint32_t interval) {
  const balancing::ClockSteps steps = machine.steps();
  std::vector<double> sums(table.processors, 0);
  std::vector<double> expected;  // of an iteration; empty before the first balance point
  std::vector<Hertz> clocks;
  std::size_t since = 0;
  std::size_t late = 0;
  std::size_t followed = 0;
  double as_is = 0;
  double following = 0;
  for (std::size_t iteration = 0; iteration < table.iterations(); ++iteration) {
    const std::vector<double> loads = processor_loads(table, iteration);
    const auto longest = std::ranges::max_element(loads);
    double end = *longest;
    for (std::size_t rank = 0; rank < clocks.size(); ++rank)
      end = std::max(end, loads[rank] * (steps.most() / clocks[rank]));
    as_is += *longest + machine.besides.value;
    following += end + machine.besides.value;
    if (!expected.empty()) {
      ++followed;
      const auto rank = static_cast<std::size_t>(longest - loads.begin());
      if (expected[rank] < (1 - kOdd) * *longest) ++late;
    }
    for (std::size_t rank = 0; rank < loads.size(); ++rank) sums[rank] += loads[rank];
    ++since;
    if (!is_balance_point(iteration + 1, interval)) continue;
    expected = sums;
    for (double& load : expected) load /= static_cast<double>(since);
    clocks = clocks_for(expected, steps);
    std::ranges::fill(sums, 0);
    since = 0;
  }
  LoadChanges changes;
  if (followed > 0) changes.unforeseen = static_cast<double>(late) / static_cast<double>(followed);
  if (as_is > 0) changes.cost_of_following = following / as_is - 1;
  return changes;
}

}  // namespace huddle::balance
