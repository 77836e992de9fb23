#include "aggregator/waitstates/criticalpath/path_energy.hpp"

#include <map>
#include <utility>

namespace huddle {
namespace {

using EnergyByPath = std::map<std::pair<std::uint32_t, std::uint32_t>, PathEnergy>;

void add_rank(const ActivityLog& log, const WaitReport& report, const NodePower& node,
              std::uint32_t rank, EnergyByPath& energies) {
  const auto spend = [&](std::uint64_t begin, std::uint64_t end, std::uint32_t path) {
    const NodePower::Share share = node.share(begin + report.begin, end + report.begin);
    if (share.known_ticks == 0) return;
    PathEnergy& energy = energies[{path, rank}];
    energy.call_path = path;
    energy.rank = rank;
    energy.known_ticks += share.known_ticks;
    energy.joules += share.joules;
  };
  std::uint64_t now = log.begin_of(rank);
  for (std::uint64_t i = log.first_of(rank); i < log.first_of(rank + 1); ++i) {
    const Activity& activity = log[i];
    spend(now, activity.enter, activity.before);
    spend(activity.enter, activity.leave, activity.call_path);
    now = activity.leave;
  }
  spend(now, log.end_of(rank), CallPath::kRoot);
}

}  // namespace

std::vector<PathEnergy> path_energy_of(const ActivityLog& log, const WaitReport& report,
                                       const TraceDefinitions& definitions,
                                       const MeasuredPower& power) {
  EnergyByPath energies;
  for (std::uint32_t rank = 0; rank < log.ranks(); ++rank) {
    const std::vector<std::uint32_t>& locations = definitions.ranks[rank].locations;
    const NodePower* const node = locations.empty() ? nullptr : power.of(definitions, locations[0]);
    if (node != nullptr) add_rank(log, report, *node, rank, energies);
  }
  std::vector<PathEnergy> list;
  for (const auto& [key, energy] : energies) list.push_back(energy);
  return list;
}

}  // namespace huddle
