#include "profiles/formats/plan/step_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace huddle {
namespace {

using Numbers = std::vector<std::uint32_t>;

/// Ranks on these nodes, which were on others as submitted.
Plan plan_on(const Numbers& nodes, const Numbers& submitted) {
  Plan plan;
  plan.ranks = static_cast<std::uint32_t>(nodes.size());
  plan.submitted_ranks = submitted;
  plan.chosen.ranks_per_node = 8;
  for (const std::uint32_t node : nodes) {
    plan.placement.push_back({{node}, PuSet::parse("0")});
    plan.chosen.nodes = std::max(plan.chosen.nodes, node + 1);
  }
  return plan;
}

// As Slurm 22.05 was seen to do it.
TEST_CASE("tasks are distributed as Slurm's block distribution has them") {
  CHECK(block_distribution(20, Numbers(3, 8)) == Numbers{7, 7, 6});
  CHECK(block_distribution(17, Numbers(3, 8)) == Numbers{6, 6, 5});
  CHECK(block_distribution(4, Numbers(3, 8)) == Numbers{2, 1, 1});
  const Numbers shared = {8, 2, 1, 1, 1, 1, 1, 1};
  CHECK(block_distribution(16, shared) == shared);
  CHECK(block_distribution(8, shared) == Numbers(8, 1));
  CHECK(block_distribution(4, shared) == Numbers{1, 1, 1, 1, 0, 0, 0, 0});
  CHECK(block_distribution(7, {2, 1}) == Numbers{4, 3});
  CHECK(block_distribution(5, {0, 0}) == Numbers{3, 2});
  CHECK(block_distribution(5, {}).empty());
}

TEST_CASE("as many tasks as ranks go where these go") {
  CHECK(nodes_of_step(plan_on({0, 1, 0, 1}, {}), 4) == Numbers{0, 1, 0, 1});
}

TEST_CASE("other tasks go to the nodes of the ranks that shared theirs") {
  const Plan plan = plan_on({0, 0, 0, 0, 1, 1, 1, 1}, {2, 2, 2, 2});
  CHECK(nodes_of_step(plan, 4) == Numbers{0, 0, 1, 1});
  CHECK(nodes_of_step(plan, 2) == Numbers{0, 0});  // they were on the first two of four nodes
  CHECK(nodes_of_step(plan, 12) == Numbers{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1});
  for (const std::uint32_t tasks : {2U, 4U, 8U, 12U}) CHECK(shares_as_submitted(plan, tasks));
  CHECK_FALSE(nodes_of_step(plan_on({0, 0, 1, 1}, {}), 2).has_value());
}

TEST_CASE("tasks that shared a node with ranks on several can't share one with all of them") {
  const Plan uneven = plan_on({0, 0, 0, 0, 1, 1}, {3, 3});
  CHECK_FALSE(shares_as_submitted(uneven, 2));
  CHECK(nodes_of_step(uneven, 2) == Numbers{0, 0});
  CHECK(shares_as_submitted(uneven, 6));
  const Plan mapped = plan_on({0, 1, 0, 1}, {2, 2});
  CHECK_FALSE(shares_as_submitted(mapped, 2));
  CHECK_FALSE(shares_as_submitted(plan_on({0, 0, 1, 1}, {}), 2));
  // No task was with ranks 3 to 5.
  CHECK(shares_as_submitted(plan_on({0, 0, 0, 0, 0, 1}, {3, 1, 2}), 2));
}

TEST_CASE("tasks have room where as many ranks have, or where Slurm would put as many") {
  const Plan plan = plan_on({0, 0, 0, 0, 1, 1, 1, 1}, {2, 2, 2, 2});
  CHECK(has_room(plan, Numbers(8, 0), 1));
  CHECK_FALSE(has_room(plan, Numbers(9, 0), 1));
  CHECK(has_room(plan, Numbers(4, 0), 2));
  CHECK_FALSE(has_room(plan, Numbers(5, 0), 2));
  CHECK(has_room(plan, {0, 1}, 20));
}

TEST_CASE("plans have one order if each rank is on the same node") {
  CHECK(same_order(plan_on({0, 1}, {}), plan_on({0, 1}, {1, 1})));
  CHECK_FALSE(same_order(plan_on({0, 1}, {}), plan_on({0, 0}, {})));
  CHECK_FALSE(same_order(plan_on({0, 1}, {}), plan_on({0, 1, 1}, {})));
}

}  // namespace
}  // namespace huddle
