#include "tests/evaluation/balancing/scenarios.hpp"

#include <algorithm>
#include <cmath>

#include "profiles/balancing/workload.hpp"

namespace huddle::balancing {

balance::BalancedMachine published_machine() {
  constexpr int kLevels = 14;
  balance::BalancedMachine machine;
  for (int level = 0; level < kLevels; ++level) {
    const Hertz clock{1.2e9 + level * 1.2e9 / (kLevels - 1)};
    const double dynamic = 6 * std::pow(clock.value / 2.4e9, 3);
    machine.power.push_back({clock, {20 + dynamic}, {20 + 0.6 * dynamic}});
  }
  return machine;
}

balance::LoadTable published_loads(std::uint64_t seed) {
  constexpr std::uint32_t kChares = 200;
  constexpr std::size_t kSteps = 250;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> load(0.005, 0.8);
  balance::LoadTable table;
  table.processors = 24;
  table.has_objects = true;
  std::vector<double> loads;
  for (std::uint32_t chare = 0; chare < kChares; ++chare) {
    table.processor_of.push_back(chare * table.processors / kChares);
    loads.push_back(load(random));
  }
  for (std::size_t step = 0; step < kSteps; ++step)
    table.loads.insert(table.loads.end(), loads.begin(), loads.end());
  return table;
}

balance::LoadTable rank_loads(std::uint32_t ranks, std::size_t iterations,
                              const std::function<double(std::size_t, std::uint32_t)>& load) {
  balance::LoadTable table;
  table.processors = ranks;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) table.processor_of.push_back(rank);
  for (std::size_t iteration = 0; iteration < iterations; ++iteration)
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      table.loads.push_back(std::max(0.0, load(iteration, rank)));
  return table;
}

balance::BalanceOutcome literal_energylb(const balance::LoadTable& table,
                                         const balance::BalancedMachine& machine,
                                         std::uint32_t interval) {
  const ClockSteps steps = machine.steps();
  const auto power_at = [&](Hertz clock) {
    return *std::min_element(machine.power.begin(), machine.power.end(),
                             [&](const balance::CorePower& a, const balance::CorePower& b) {
                               return std::abs(a.clock / clock - 1) < std::abs(b.clock / clock - 1);
                             });
  };
  std::vector<Hertz> clocks(table.processors, steps.most());
  std::vector<double> loads(table.processors, 0);
  balance::BalanceOutcome outcome;
  for (std::size_t iteration = 0; iteration < table.iterations(); ++iteration) {
    std::vector<double> times(table.processors, 0);
    for (std::size_t object = 0; object < table.objects(); ++object)
      times[table.processor_of[object]] += table.load(iteration, object);
    for (std::uint32_t p = 0; p < table.processors; ++p) {
      times[p] *= stretch(1, clocks[p], steps.most());
      loads[p] += times[p];
    }
    const double length = *std::max_element(times.begin(), times.end());
    outcome.time += Seconds{length};
    for (std::uint32_t p = 0; p < table.processors; ++p) {
      const balance::CorePower power = power_at(clocks[p]);
      outcome.energy +=
          Joules{power.computing.value * times[p] + power.waiting.value * (length - times[p])};
    }
    if ((iteration + 1) % interval != 0) continue;
    std::vector<double> weighted(table.processors);
    for (std::uint32_t p = 0; p < table.processors; ++p) weighted[p] = loads[p] / clocks[p].value;
    const auto [least, most] = std::minmax_element(weighted.begin(), weighted.end());
    if (*most / *least <= steps.range())
      for (std::uint32_t p = 0; p < table.processors; ++p)
        clocks[p] = steps.at_least(steps.most() * (weighted[p] / *most));
    std::fill(loads.begin(), loads.end(), 0);
  }
  return outcome;
}

}  // namespace huddle::balancing
