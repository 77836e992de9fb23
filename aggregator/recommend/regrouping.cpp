#include "aggregator/recommend/regrouping.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
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

/// The dies of one node that ranks use, as many on each, as a hierarchy of that node.
class FilledDies {
 public:
  // Nothing if a rank was on several dies, or dies and packages in use are not filled alike.
  static std::optional<FilledDies> of(const std::vector<predict::Location>& locations,
                                      const commgraph::NodeTopology& node) {
    constexpr std::uint32_t kSeveral = predict::Location::kSeveral;
    std::map<Die, std::uint32_t> ranks;
    for (const predict::Location& at : locations) {
      if (at.package == kSeveral || at.die == kSeveral) return std::nullopt;
      ++ranks[{at.package, at.die}];
    }
    FilledDies filled;
    filled.ranks_ = ranks.begin()->second;
    std::map<std::uint32_t, std::uint32_t> dies_of_package;
    for (const auto& [die, count] : ranks) {
      if (count != filled.ranks_ || count > node.cores_per_die) return std::nullopt;
      ++dies_of_package[die.first];
      filled.dies_.push_back(die);
    }
    filled.dies_per_package_ = dies_of_package.begin()->second;
    for (const auto& [package, dies] : dies_of_package)
      if (dies != filled.dies_per_package_) return std::nullopt;
    std::map<Die, std::uint32_t> taken;
    for (const predict::Location& at : locations) {
      const Die die{at.package, at.die};
      const auto index = std::find(filled.dies_.begin(), filled.dies_.end(), die);
      filled.measured_.push_back(
          static_cast<std::uint32_t>(index - filled.dies_.begin()) * filled.ranks_ + taken[die]++);
    }
    return filled;
  }

  // The dies, or the packages, as the nodes of a hierarchy, which bytes are counted between.
  [[nodiscard]] commgraph::Hierarchy of_dies() const {
    return {{ranks_, static_cast<std::uint32_t>(dies_.size())}, {1, 10}};
  }
  [[nodiscard]] commgraph::Hierarchy of_packages() const {
    return {{ranks_ * dies_per_package_, packages()}, {1, 10}};
  }
  [[nodiscard]] bool splits_packages() const { return dies_per_package_ > 1; }
  // The core of each rank that stands for where it was.
  [[nodiscard]] const std::vector<std::uint32_t>& measured() const { return measured_; }
  [[nodiscard]] const PuSet& pus_of(std::uint32_t core, const commgraph::NodeTopology& node) const {
    const auto [package, die] = dies_[core / ranks_];
    return node.core(package, die, core % ranks_).pus;
  }

 private:
  // Its package, and which of the package's dies it is.
  using Die = std::pair<std::uint32_t, std::uint32_t>;

  [[nodiscard]] std::uint32_t packages() const {
    return static_cast<std::uint32_t>(dies_.size()) / dies_per_package_;
  }

  std::uint32_t ranks_ = 0;
  std::uint32_t dies_per_package_ = 0;
  std::vector<Die> dies_;
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

// True if a rank was kept busy on more cores than are its own: its threads would have to share
// them.
bool wants_more_cores(const Profile& profile, const predict::RankShape& rank) {
  constexpr double kNoise = 1.05;
  return std::ranges::any_of(profile.rank_records, [&](const RankRecord& record) {
    return record.cpu_time && *record.cpu_time > record.run_time * (kNoise * rank.cores);
  });
}

// The locations of a run on one node. Ranks that were all free to run anywhere count as spread
// widest, in rank order.
std::optional<std::vector<predict::Location>> locations_on_node(const Profile& profile,
                                                                const predict::Reference& measured,
                                                                const predict::RankShape& rank) {
  const auto is_free = [](const predict::Location& at) {
    return at.package == predict::Location::kSeveral;
  };
  if (!std::ranges::all_of(measured.locations, is_free)) return measured.locations;
  if (wants_more_cores(profile, rank)) return std::nullopt;
  return predict::reference_on(predict::Pattern::parse(measured.pattern), profile.ranks).locations;
}

// The measured pattern, of which no time is predicted.
void stay_as_measured(Plan& plan, const predict::Reference& measured,
                      const predict::RankShape& rank) {
  PatternForecast& as_measured = plan.reference;
  as_measured.pattern = predict::name_on_cores(predict::Pattern::parse(measured.pattern), rank);
  as_measured.nodes = measured.nodes;
  as_measured.ranks_per_node = measured.ranks_per_node;
  plan.chosen = as_measured;
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
  Regrouping found{.plan = plan_for(profile, node, rank),
                   .measured_bytes = between(mapping.graph, nodes.measured()),
                   .planned_bytes = between(mapping.graph, core_of),
                   .not_counted = operations_in(mapping)};
  if (found.planned_bytes >= found.measured_bytes) {
    core_of = nodes.measured();
    found.planned_bytes = found.measured_bytes;
  }
  stay_as_measured(found.plan, measured, rank);
  const PuSet anywhere = PuSet::parse(fmt::format("0-{}", found.plan.node_pus - 1));
  for (const std::uint32_t core : core_of)
    found.plan.placement.push_back({{hierarchy.node_of(core)}, anywhere});
  found.plan.between_nodes.value =
      between(commgraph::comm_graph_of(profile, commgraph::Weight::kBytes), core_of);
  return found;
}

std::optional<Regrouping> arrange_on_node(const Profile& profile,
                                          const commgraph::NodeTopology& node,
                                          const predict::RankShape& rank, unsigned threads) {
  const predict::Reference measured = predict::measured_reference(profile, node);
  const auto locations = locations_on_node(profile, measured, rank);
  if (!locations) return std::nullopt;
  const std::optional<FilledDies> dies = FilledDies::of(*locations, node);
  if (!dies) return std::nullopt;
  const commgraph::MappingGraph mapping =
      commgraph::mapping_graph_of(profile, commgraph::Weight::kBytes);
  const commgraph::Hierarchy hierarchy =
      predict::hierarchy_of(predict::Pattern::parse(measured.pattern), 1);
  commgraph::MappingOptions options;
  options.threads = threads;
  std::vector<std::uint32_t> core_of =
      commgraph::map_ranks(mapping.graph, hierarchy, options).core_of;
  if (commgraph::objective(mapping.graph, hierarchy, core_of) >=
      commgraph::objective(mapping.graph, hierarchy, dies->measured()))
    core_of = dies->measured();
  Regrouping found{.plan = plan_for(profile, node, rank),
                   .parts = "packages",
                   .not_counted = operations_in(mapping)};
  const auto count_between = [&](const commgraph::Hierarchy& parts) {
    found.measured_bytes = commgraph::weight_between_nodes(mapping.graph, parts, dies->measured());
    found.planned_bytes = commgraph::weight_between_nodes(mapping.graph, parts, core_of);
  };
  count_between(dies->of_packages());
  if (dies->splits_packages()) {
    const double saved = found.saved();
    count_between(dies->of_dies());
    found.parts = "dies";
    if (saved > found.saved()) {  // it may even be more between dies of one package
      count_between(dies->of_packages());
      found.parts = "packages";
    }
  }
  stay_as_measured(found.plan, measured, rank);
  for (const std::uint32_t core : core_of)
    found.plan.placement.push_back({{0}, dies->pus_of(core, node)});
  return found;
}

}  // namespace huddle::recommend
