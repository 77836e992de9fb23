#include "aggregator/predict/energy/unused_energy.hpp"

#include <algorithm>

namespace huddle::predict {
namespace {

Joules energy_of_one(const PowerFigures& power, const UnusedNode& node, Seconds time) {
  switch (node.fate) {
    case NodeFate::kUsed:
      return Joules{0};
    case NodeFate::kIdles:
      return Joules{power.idle_node.value * time.value};
    case NodeFate::kSleeps:
      break;
  }
  const Seconds awake = std::min(time, node.sleeps_after);
  return Joules{power.idle_node.value * awake.value + power.off_node.value * (time - awake).value};
}

}  // namespace

Joules energy_of_unused(const PowerFigures& power, const std::vector<FateShare>& fates,
                        double nodes, Seconds time) {
  Joules sum{0};
  for (const FateShare& fate : fates)
    sum += Joules{nodes * fate.share * energy_of_one(power, fate.node, time).value};
  return sum;
}

std::optional<Joules> machine_energy(Joules job, const PowerFigures& power,
                                     const std::vector<FateShare>& fates, double unused,
                                     Seconds time) {
  if (are_used_by_others(fates)) return std::nullopt;
  return job + energy_of_unused(power, fates, unused, time);
}

}  // namespace huddle::predict
