#include "aggregator/recommend/regrouping.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "aggregator/predict/pattern/reference.hpp"
#include "aggregator/recommend/plan_making.hpp"
#include "commgraph/graph/comm_graph.hpp"
#include "commgraph/graph/mapping_graph.hpp"
#include "commgraph/mapping/mapper.hpp"
#include "commgraph/mapping/objective.hpp"

namespace huddle::recommend {
namespace {

/// Nodes that hold so many ranks each, as a hierarchy in which only they matter.
class FilledNodes {
 public:
  // The node of each rank.
  explicit FilledNodes(const std::vector<predict::Location>& locations) {
    for (const predict::Location& at : locations) {
      ranks_.resize(std::max<std::size_t>(ranks_.size(), at.node + 1));
      ++ranks_[at.node];
    }
    const std::uint32_t most = *std::max_element(ranks_.begin(), ranks_.end());
    std::vector<std::uint32_t> taken(ranks_.size());
    for (const predict::Location& at : locations)
      measured_.push_back(at.node * most + taken[at.node]++);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& ranks() const { return ranks_; }
  [[nodiscard]] commgraph::Hierarchy hierarchy() const {
    const std::uint32_t most = *std::max_element(ranks_.begin(), ranks_.end());
    return {{most, static_cast<std::uint32_t>(ranks_.size())}, {1, 1000}};
  }
  // The core of each rank that stands for where it was.
  [[nodiscard]] const std::vector<std::uint32_t>& measured() const { return measured_; }

 private:
  std::vector<std::uint32_t> ranks_;
  std::vector<std::uint32_t> measured_;
};

std::string operations_in(const commgraph::MappingGraph& mapping) {
  std::set<std::string> operations;
  for (const commgraph::CollectivesLeftOut& left_out : mapping.left_out)
    if (left_out.bytes != Bytes{})
      operations.insert(left_out.operations.begin(), left_out.operations.end());
  return fmt::format("{}", fmt::join(operations, ", "));
}

Plan plan_for(const Profile& profile, const commgraph::NodeTopology& node,
              const predict::RankShape& rank) {
  Plan plan;
  plan.label = profile.label;
  plan.user = profile.user;
  plan.ranks = profile.ranks;
  plan.keeps_nodes = true;
  plan.cores_per_rank = rank.cores;
  plan.node_pus = pus_of(node);
  plan.program = profile.program();
  return plan;
}

// A job's script runs on its first node, and shares files there with rank 0: that trades places
// with the rank whose place costs least. `cost`: of a mapping.
template <class Cost>
void put_first_rank_first(std::vector<std::uint32_t>& core_of,
                          const commgraph::Hierarchy& hierarchy, Cost cost) {
  constexpr std::size_t kMostTried = 64;
  if (hierarchy.node_of(core_of[0]) == 0) return;
  std::optional<std::pair<std::uint64_t, std::size_t>> best;
  for (std::size_t rank = 1, tried = 0; rank < core_of.size() && tried < kMostTried; ++rank) {
    if (hierarchy.node_of(core_of[rank]) != 0) continue;
    ++tried;
    std::swap(core_of[0], core_of[rank]);
    if (const auto here = std::pair(cost(core_of), rank); !best || here < *best) best = here;
    std::swap(core_of[0], core_of[rank]);
  }
  if (best) std::swap(core_of[0], core_of[best->second]);
}

}  // namespace

Regrouping regroup(const Profile& profile, const commgraph::NodeTopology& node,
                   const predict::RankShape& rank, unsigned threads) {
  const predict::Reference measured = predict::measured_reference(profile, node);
  const FilledNodes nodes(measured.locations);
  const commgraph::Hierarchy hierarchy = nodes.hierarchy();
  const commgraph::MappingGraph mapping =
      commgraph::mapping_graph_of(profile, commgraph::Weight::kBytes);
  const auto between = [&](const commgraph::CommGraph& graph,
                           const std::vector<std::uint32_t>& core_of) {
    return commgraph::weight_between_nodes(graph, hierarchy, core_of);
  };
  commgraph::MappingOptions options;
  options.node_sizes = nodes.ranks();
  options.threads = threads;
  std::vector<std::uint32_t> core_of =
      commgraph::map_ranks(mapping.graph, hierarchy, options).core_of;
  put_first_rank_first(core_of, hierarchy, [&](const std::vector<std::uint32_t>& cores) {
    return between(mapping.graph, cores);
  });
  Regrouping found{plan_for(profile, node, rank), between(mapping.graph, nodes.measured()),
                   between(mapping.graph, core_of), operations_in(mapping)};
  if (found.planned_bytes >= found.measured_bytes) {
    core_of = nodes.measured();
    found.planned_bytes = found.measured_bytes;
  }
  PatternForecast& as_measured = found.plan.reference;
  as_measured.pattern = predict::name_on_cores(predict::Pattern::parse(measured.pattern), rank);
  as_measured.nodes = measured.nodes;
  as_measured.ranks_per_node = measured.ranks_per_node;
  found.plan.chosen = as_measured;
  const PuSet anywhere = PuSet::parse(fmt::format("0-{}", found.plan.node_pus - 1));
  for (const std::uint32_t core : core_of)
    found.plan.placement.push_back({{hierarchy.node_of(core)}, anywhere});
  found.plan.between_nodes.value =
      between(commgraph::comm_graph_of(profile, commgraph::Weight::kBytes), core_of);
  return found;
}

}  // namespace huddle::recommend
