#include "commgraph/graph/mapping_graph.hpp"

#include <algorithm>
#include <initializer_list>

#include "commgraph/graph/colocation_cost.hpp"

namespace huddle::commgraph {
namespace {

// All traffic, each pair once; what is left out of it goes to `left_out`.
std::vector<PairTraffic> traffic_of(const Profile& profile,
                                    std::array<CollectivesLeftOut, kReasonsNotExpanded>& left_out) {
  std::vector<PairTraffic> traffic;
  for_each_counted(profile, [&](const PairTraffic& pair) { traffic.push_back(pair); });
  CollectiveTraffic collectives = collective_traffic(profile, kMostCollectiveEdges);
  traffic.insert(traffic.end(), collectives.pairs.begin(), collectives.pairs.end());
  left_out = std::move(collectives.left_out);
  return added_up(std::move(traffic));
}

Seconds time_of(const PairTraffic& pair, const LinkTime& link) {
  return static_cast<double>(pair.messages) * link.latency +
         Seconds{static_cast<double>(pair.bytes) / link.bandwidth.value};
}

PairTime predicted(const PairTraffic& pair, const Machine& machine) {
  Seconds slowest;
  for (const Distance distance : {Distance::kDie, Distance::kPackage, Distance::kNode})
    slowest = std::max(slowest, time_of(pair, machine.link(distance)));
  return {slowest, time_of(pair, machine.link(Distance::kNetwork))};
}

}  // namespace

MappingGraph mapping_graph_of(const Profile& profile, Weight weight) {
  MappingGraph result;
  std::vector<WeightedEdge> edges;
  for (const PairTraffic& pair : traffic_of(profile, result.left_out))
    edges.push_back({pair.a, pair.b, weight == Weight::kBytes ? pair.bytes : pair.messages});
  result.graph = CommGraph(profile.ranks, std::move(edges));
  return result;
}

MappingGraph mapping_graph_by_time(const Profile& profile, const Machine& machine,
                                   const TimeWeights& weights) {
  MappingGraph result;
  std::vector<PairTraffic> traffic = traffic_of(profile, result.left_out);
  std::erase_if(traffic,
                [](const PairTraffic& pair) { return pair.messages == 0 && pair.bytes == 0; });
  std::vector<PairTime> times;
  times.reserve(traffic.size());
  for (const PairTraffic& pair : traffic) times.push_back(predicted(pair, machine));
  const std::vector<std::uint64_t> scaled =
      scaled_to_weights(colocation_costs(times, weights.ranks_per_node), weights.most_total);
  std::vector<WeightedEdge> edges;
  edges.reserve(traffic.size());
  for (std::size_t i = 0; i < traffic.size(); ++i)
    edges.push_back({traffic[i].a, traffic[i].b, scaled[i]});
  result.graph = CommGraph(profile.ranks, std::move(edges));
  return result;
}

}  // namespace huddle::commgraph
