#include "aggregator/recommend/regrouping.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/aggregator/sample_runs.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::recommend {
namespace {

// Ranks r and r + N/2 send each other 100 bytes.
Profile run_of_partners(std::uint32_t ranks, std::uint32_t ranks_per_node) {
  Profile profile = run_of(ranks, ranks_per_node);
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    add_messages(profile, rank, (rank + ranks / 2) % ranks, 1, 100);
  return profile;
}

// The first node holds five of eight ranks, the others one each.
Profile run_on_uneven_nodes() {
  Profile profile = run_of_partners(8, 2);
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    RankRecord& record = profile.rank_records[rank];
    record.node = "n" + std::to_string(rank < 5 ? 0 : rank - 4);
    record.pus = PuSet{};
    record.pus.add(rank < 5 ? rank : 0);
  }
  return profile;
}

Regrouping regrouped(const Profile& profile) {
  return regroup(profile, small_node(), predict::RankShape{}, 1);
}

TEST_CASE("partners far apart come to share nodes, of which each holds as many ranks as before") {
  const Regrouping found = regrouped(run_of_partners(8, 2));
  CHECK(found.measured_bytes == 800);
  CHECK(found.planned_bytes == 0);
  CHECK(found.not_counted.empty());
  const Plan& plan = found.plan;
  CHECK(plan.keeps_nodes);
  CHECK_FALSE(plan.packs());
  CHECK_FALSE(plan.predicts_time());
  CHECK(plan.between_nodes == Bytes{0});
  CHECK(plan.chosen.nodes == 4);
  CHECK(plan.reference.nodes == 4);
  CHECK(plan.chosen.ranks_per_node == 2);
  CHECK(plan.ranks_by_node() == std::vector<std::uint32_t>{2, 2, 2, 2});
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    CHECK(plan.placement[rank].node == plan.placement[rank + 4].node);
  CHECK(to_json(parse_plan(to_json(plan), "p")) == to_json(plan));
}

TEST_CASE("nodes that held different numbers of ranks still do") {
  const Regrouping found = regrouped(run_on_uneven_nodes());
  CHECK(found.plan.ranks_by_node() == std::vector<std::uint32_t>{5, 1, 1, 1});
  // Ranks 0 and 4 are the only partners that share a node; of five two pairs can.
  CHECK(found.measured_bytes == 600);
  CHECK(found.planned_bytes == 400);
  CHECK(found.plan.between_nodes == Bytes{400});
}

TEST_CASE("rank 0 stays on the first node, with the job's script") {
  Profile profile = run_of(8, 8);
  for (std::uint32_t rank = 0; rank < 8; ++rank)
    profile.rank_records[rank].node = "m" + std::to_string(rank < 5 ? 0 : rank);
  // All that talk would fit on the first node, and rank 0 does not.
  for (std::uint32_t rank = 4; rank < 8; ++rank) add_messages(profile, 1, rank, 1, 100);
  const Regrouping found = regrouped(profile);
  CHECK(found.plan.placement[0].node == NodeIndex{0});
  CHECK(found.planned_bytes == 100);
  CHECK(found.measured_bytes == 300);
}

TEST_CASE("ranks whose grouping can't be improved stay where they are") {
  Profile neighbours = run_of(8, 2);
  for (std::uint32_t rank = 0; rank < 8; ++rank) add_messages(neighbours, rank, rank ^ 1U, 1, 100);
  const Regrouping found = regrouped(neighbours);
  CHECK(found.measured_bytes == 0);
  CHECK(found.planned_bytes == 0);
  for (std::uint32_t rank = 0; rank < 8; ++rank)
    CHECK(found.plan.placement[rank].node == NodeIndex{rank / 2});
}

TEST_CASE("a rank may be anywhere on its node, since the launcher binds it") {
  for (const RankPlace& place : regrouped(run_of_partners(8, 2)).plan.placement)
    CHECK(place.pus.list() == "0-7");
}

TEST_CASE("collectives that no grouping changes are named") {
  Profile profile = run_of_partners(8, 2);
  for (RankRecord& record : profile.rank_records)
    record.collectives.push_back({"alltoall", "world", 8, 4, 1, {64}, Seconds{0}});
  const Regrouping found = regrouped(profile);
  CHECK(found.measured_bytes == 800);
  CHECK(found.not_counted == "alltoall");
}

TEST_CASE("a node with fewer cores than there were ranks on one is no node of that run") {
  CHECK_THROWS_AS(regrouped(run_of(16, 16)), UsageError);
}

// Binds the ranks of a run on one node to those cores of small_node().
Profile run_on_cores(const std::vector<std::uint32_t>& cores) {
  const auto ranks = static_cast<std::uint32_t>(cores.size());
  Profile profile = run_of_partners(ranks, ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    profile.rank_records[rank].pus = PuSet{};
    profile.rank_records[rank].pus.add(cores[rank]);
  }
  return profile;
}

std::optional<Regrouping> arranged(const Profile& profile) {
  return arrange_on_node(profile, small_node(), predict::RankShape{}, 1);
}

// The dies of small_node() on which ranks are.
std::vector<std::uint32_t> dies_of(const Plan& plan) {
  std::vector<std::uint32_t> dies;
  for (const RankPlace& place : plan.placement) {
    CHECK(place.node == NodeIndex{0});
    REQUIRE(place.pus.size() == 1);
    dies.push_back(place.pus.members().front() / 2);
  }
  return dies;
}

TEST_CASE("partners on one node come to share its dies, of which each holds as many as before") {
  const auto found = arranged(run_on_cores({0, 1, 2, 3, 4, 5, 6, 7}));
  REQUIRE(found.has_value());
  CHECK(found->parts == "dies");
  CHECK(found->measured_bytes == 800);
  CHECK(found->planned_bytes == 0);
  CHECK(found->saved() == 1);
  CHECK(found->plan.arranges_node());
  CHECK_FALSE(found->plan.packs());
  CHECK_FALSE(found->plan.predicts_time());
  const std::vector<std::uint32_t> dies = dies_of(found->plan);
  for (std::uint32_t rank = 0; rank < 4; ++rank) CHECK(dies[rank] == dies[rank + 4]);
  PuSet used;
  for (const RankPlace& place : found->plan.placement) used.add(place.pus.members().front());
  CHECK(used.list() == "0-7");
  CHECK(to_json(parse_plan(to_json(found->plan), "p")) == to_json(found->plan));
}

TEST_CASE("dies that were not used on one node stay free") {
  const auto found = arranged(run_on_cores({0, 4, 1, 5}));  // partners: 0 and 2, 1 and 3
  REQUIRE(found.has_value());
  CHECK(found->measured_bytes == 0);
  CHECK(found->saved() == 0);
  CHECK(dies_of(found->plan) == std::vector<std::uint32_t>{0, 2, 0, 2});
  const auto better = arranged(run_on_cores({4, 5, 0, 1}));
  REQUIRE(better.has_value());
  CHECK(better->parts == "packages");  // one die of each
  CHECK(better->measured_bytes == 400);
  CHECK(better->planned_bytes == 0);
  const std::vector<std::uint32_t> dies = dies_of(better->plan);
  CHECK(dies[0] == dies[2]);
  CHECK(dies[1] == dies[3]);
  CHECK(std::set<std::uint32_t>(dies.begin(), dies.end()) == std::set<std::uint32_t>{0, 2});
}

// A run of four ranks on one node that the operating system could put anywhere.
Profile free_run() {
  Profile profile = run_on_cores({0, 1, 2, 3});
  for (RankRecord& record : profile.rank_records) record.pus = PuSet::parse("0-7");
  return profile;
}

TEST_CASE("ranks that were free on one node count as spread widest, in rank order") {
  const auto found = arranged(free_run());  // a rank on each die
  REQUIRE(found.has_value());
  CHECK(found->parts == "packages");
  CHECK(found->measured_bytes == 400);
  CHECK(found->planned_bytes == 0);
  CHECK(found->plan.chosen.pattern == "2:2:1");
  const std::vector<std::uint32_t> dies = dies_of(found->plan);
  CHECK(dies[0] / 2 == dies[2] / 2);
  CHECK(dies[1] / 2 == dies[3] / 2);
}

TEST_CASE("free ranks with more threads than cores of their own are not arranged") {
  Profile busy = free_run();
  busy.rank_records[2].cpu_time = busy.rank_records[2].run_time * 2.0;
  CHECK_FALSE(arranged(busy).has_value());
  busy.rank_records[2].cpu_time = busy.rank_records[2].run_time;
  CHECK(arranged(busy).has_value());
}

TEST_CASE("ranks of which some were free, or not as many on each die, are not arranged") {
  Profile unbound = run_on_cores({0, 1, 2, 3});
  unbound.rank_records[1].pus = PuSet::parse("0-7");
  CHECK_FALSE(arranged(unbound).has_value());
  CHECK_FALSE(arranged(run_on_cores({0, 1, 2, 4})).has_value());
  CHECK_FALSE(arranged(run_on_cores({0, 2, 4})).has_value());
}

}  // namespace
}  // namespace huddle::recommend
