#include "aggregator/recommend/plan_making.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/aggregator/sample_runs.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::recommend {
namespace {

Recommendation recommended(const Profile& profile, const commgraph::NodeTopology& node,
                           const RecommendationOptions& options = {}) {
  return recommend({profile}, slow_machine(), node, predict::reference_on({1, 1, 1}, profile.ranks),
                   options);
}

TEST_CASE("every rank has one of the pattern's slots, and no slot is taken twice") {
  for (const char* topology : {"package:2 die:2 core:2 pu:1", "package:2 die:2 core:2 pu:2",
                               "package:1 core:5 pu:1", "package:2 l3:2 core:3 pu:4"})
    for (const std::uint32_t ranks : {1U, 2U, 7U, 10U, 16U, 33U}) {
      CAPTURE(topology);
      CAPTURE(ranks);
      const commgraph::NodeTopology node = commgraph::load_topology(topology);
      Profile profile = run_of(ranks, 1);
      for (std::uint32_t rank = 0; rank < ranks; ++rank)
        add_messages(profile, rank, (rank + ranks / 2) % ranks, 1, 8);
      const Recommendation recommendation = recommended(profile, node, {{.slowdown = 1}});
      const Plan plan = plan_of(recommendation, profile, node, Grouping::kMapped);
      const predict::Pattern pattern = predict::Pattern::parse(plan.chosen.pattern);
      const std::vector<PuSet> slots = predict::slots_of(pattern, node);
      REQUIRE(plan.placement.size() == ranks);
      std::set<std::pair<std::uint32_t, std::string>> taken;
      for (const RankPlace& place : plan.placement) {
        CHECK(place.node.value < plan.chosen.nodes);
        CHECK(std::find(slots.begin(), slots.end(), place.pus) != slots.end());
        CHECK(taken.emplace(place.node.value, place.pus.list()).second);
        CHECK(place.pus.members().back() < plan.node_pus);
      }
    }
}

TEST_CASE("a plan repeats what was recommended and can be read back") {
  Profile profile = run_of(8, 1);
  add_messages(profile, 0, 7, 2, 64);
  const commgraph::NodeTopology node = small_node();
  const RecommendationOptions options{{.slowdown = 1}, 4};
  const Recommendation recommendation = recommended(profile, node, options);
  const Plan plan = plan_of(recommendation, profile, node, Grouping::kMapped);
  CHECK(plan.label == "app");
  CHECK(plan.user == "ann");
  CHECK(plan.ranks == 8);
  CHECK(plan.chosen.pattern == "2:2:2");
  CHECK(plan.chosen.nodes == 1);
  CHECK(plan.reference.pattern == "1:1:1");
  CHECK(plan.reference.nodes == 8);
  CHECK(plan.runners_up.size() == 7);
  CHECK(plan.node_pus == 8);
  CHECK(plan.between_nodes == Bytes{0});
  CHECK(plan.reason.starts_with("1 of 8 nodes (2:2:2), predicted -"));
  CHECK(plan.made_from.empty());
  CHECK(plan.packs());
  CHECK(to_json(parse_plan(to_json(plan), "p")) == to_json(plan));
}

TEST_CASE("bytes between nodes are those that cross under the placement") {
  Profile profile = run_of(16, 1);
  add_messages(profile, 0, 1, 1, 100);
  add_messages(profile, 1, 0, 1, 11);
  add_messages(profile, 0, 15, 1, 7);
  const commgraph::NodeTopology node = small_node();
  const RecommendationOptions in_order{{.slowdown = 1, .grouping = Grouping::kRankOrder}};
  const Plan plan = plan_of(recommended(profile, node, in_order), profile, node, in_order.grouping);
  CHECK(plan.chosen.nodes == 2);
  CHECK(plan.between_nodes == Bytes{7});
  CHECK(plan.grouping == Grouping::kRankOrder);
}

TEST_CASE("bytes between nodes are those that were counted, without collectives") {
  Profile profile = run_of(16, 1);
  add_messages(profile, 0, 15, 1, 7);
  for (RankRecord& record : profile.rank_records)
    record.collectives = {{"allreduce", "world", 16, 4, 1, {8}, {}, 0}};
  const commgraph::NodeTopology node = small_node();
  const RecommendationOptions in_order{{.slowdown = 1, .grouping = Grouping::kRankOrder}};
  const Plan plan = plan_of(recommended(profile, node, in_order), profile, node, in_order.grouping);
  CHECK(plan.chosen.nodes == 2);
  CHECK(plan.between_nodes == Bytes{7});
}

TEST_CASE("there is no plan if no pattern is feasible") {
  const commgraph::NodeTopology node = small_node();
  const Profile profile = run_of(9, 1);
  CHECK(error_of([&] {
          plan_of(recommended(profile, node, {{}, 1}), profile, node, Grouping::kMapped);
        }) == "no pattern is feasible, so there is no plan: see the reasons in the table");
}

}  // namespace
}  // namespace huddle::recommend
