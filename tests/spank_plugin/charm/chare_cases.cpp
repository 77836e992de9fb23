#include "tests/spank_plugin/charm/chare_cases.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include "profiles/balancing/workload.hpp"

namespace huddle::charm {

balancing::ClockSteps published_steps() {
  std::vector<Hertz> clocks;
  for (int level = 0; level < 14; ++level) clocks.push_back({1.2e9 + level * 1.2e9 / 13});
  return balancing::ClockSteps(std::move(clocks));
}

ChareLoads published_chares(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> seconds(0.005, 0.8);
  ChareLoads loads;
  for (std::uint32_t pe = 0; pe < 24; ++pe) loads.pes.push_back({{0}, 1, true, {0}, pe});
  for (std::uint32_t chare = 0; chare < 200; ++chare)
    loads.chares.push_back({{seconds(random)}, chare * 24 / 200});
  return loads;
}

ChareLoads next_interval(const ChareLoads& loads, const EnergyDecision& decision,
                         const balancing::ClockSteps& steps) {
  const auto achieved = [&](const PeLoad& pe) {
    return pe.achieved.value > 0 ? pe.achieved : steps.most();
  };
  ChareLoads next = loads;
  for (PeLoad& pe : next.pes) {
    const balancing::Workload work =
        balancing::workload_of(pe.background, achieved(pe), steps.most(), 1);
    pe.achieved = decision.clocks[pe.clock_domain];
    pe.background = balancing::time_at(work, pe.achieved, steps.most());
  }
  for (std::size_t i = 0; i < next.chares.size(); ++i) {
    ChareLoad& chare = next.chares[i];
    const PeLoad& from = loads.pes[chare.pe];
    const PeLoad& to = next.pes[decision.pe_of[i]];
    balancing::Workload work =
        balancing::workload_of(chare.time, achieved(from), steps.most(), chare.sensitivity);
    work.time = work.time * (from.speed / to.speed);
    chare.time = balancing::time_at(work, to.achieved, steps.most());
    chare.pe = decision.pe_of[i];
  }
  return next;
}

double longest_pe(const ChareLoads& loads) {
  std::vector<double> sums;
  for (const PeLoad& pe : loads.pes) sums.push_back(pe.background.value);
  for (const ChareLoad& chare : loads.chares) sums[chare.pe] += chare.time.value;
  return *std::max_element(sums.begin(), sums.end());
}

}  // namespace huddle::charm
