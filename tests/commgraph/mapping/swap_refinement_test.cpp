#include "commgraph/mapping/swap_refinement.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "commgraph/mapping/objective.hpp"
#include "tests/commgraph/random_graphs.hpp"

namespace huddle::commgraph {
namespace {

using Cores = std::vector<std::uint32_t>;

TEST_CASE("swaps never raise J and keep the cores in use") {
  std::mt19937 random(23);
  for (int round = 0; round < 100; ++round) {
    const Hierarchy machine = test::random_hierarchy(random);
    const std::uint32_t vertices = test::number_in(random, 1, machine.cores());
    const CommGraph graph(vertices, test::random_edges(random, vertices, 3 * vertices, 1000));
    Cores core_of(vertices);
    std::iota(core_of.begin(), core_of.end(), 0U);
    std::shuffle(core_of.begin(), core_of.end(), random);
    const Cores refined = refine_by_swaps(graph.view(), machine, core_of);
    CHECK(test::fills_cores_in_order(refined));
    CHECK(objective(graph, machine, refined) <= objective(graph, machine, core_of));
  }
}

TEST_CASE("two pairs that sit crosswise are swapped together") {
  const CommGraph pairs(4, {{0, 2, 9}, {1, 3, 9}});
  const Hierarchy machine = Hierarchy::parse("2:2", "1:10");
  const Cores refined = refine_by_swaps(pairs.view(), machine, Cores{0, 1, 2, 3});
  CHECK(objective(pairs, machine, refined) == 36);
}

TEST_CASE("neither enormous weights nor enormous distances disturb the search") {
  constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max() / 8;
  const CommGraph pairs(4, {{0, 2, kHuge}, {1, 3, kHuge}});
  const Hierarchy machine({2, 2}, {0, kHuge});
  const Cores refined = refine_by_swaps(pairs.view(), machine, Cores{0, 1, 2, 3});
  CHECK(objective(pairs, machine, refined) == 0);
}

}  // namespace
}  // namespace huddle::commgraph
