#include "aggregator/render/heatmap/traffic.hpp"

namespace huddle {

std::string_view words_for(Traffic traffic) {
  for (const TrafficName& name : kTrafficNames)
    if (name.traffic == traffic) return name.words;
  return {};
}

TrafficTotals totals_of(const Profile& profile, Traffic traffic) {
  TrafficTotals totals;
  for_each_transfer(profile, traffic, [&](const Transfer& transfer) {
    totals.messages += transfer.messages;
    totals.bytes += transfer.bytes;
  });
  return totals;
}

}  // namespace huddle
