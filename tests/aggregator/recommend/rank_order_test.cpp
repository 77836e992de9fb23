#include "aggregator/recommend/detail/rank_order.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace huddle::recommend {
namespace {

// The number of ranks on each node.
std::vector<std::uint32_t> on_nodes(std::uint32_t ranks, std::uint32_t cores_per_node,
                                    const std::vector<std::uint32_t>& together = {}) {
  const auto cores = cores_in_rank_order(ranks, cores_per_node, together);
  std::vector<std::uint32_t> on;
  if (!cores) return on;
  CHECK(cores->size() == ranks);
  for (std::size_t rank = 0; rank < cores->size(); ++rank) {
    if (rank > 0) CHECK((*cores)[rank] > (*cores)[rank - 1]);
    on.resize((*cores)[rank] / cores_per_node + 1);
    ++on.back();
  }
  return on;
}

using Numbers = std::vector<std::uint32_t>;

TEST_CASE("ranks in order are on nodes as Slurm's block distribution has them") {
  CHECK(on_nodes(16, 8) == Numbers{8, 8});
  CHECK(on_nodes(20, 8) == Numbers{7, 7, 6});
  CHECK(on_nodes(16, 6) == Numbers{6, 5, 5});
  CHECK(on_nodes(3, 8) == Numbers{3});
}

TEST_CASE("ranks that must stay together are on one node") {
  CHECK(on_nodes(16, 8, Numbers(8, 2)) == Numbers{8, 8});
  CHECK(on_nodes(16, 6, Numbers(8, 2)) == Numbers{6, 6, 4});
  CHECK(on_nodes(16, 7, Numbers(8, 2)) == Numbers{6, 6, 4});
  CHECK(on_nodes(24, 8, Numbers(8, 3)) == Numbers(4, 6));
  CHECK(on_nodes(14, 8, Numbers(7, 2)) == Numbers{8, 6});
  CHECK(on_nodes(14, 10, Numbers(7, 2)) == Numbers{8, 6});
  CHECK(on_nodes(16, 8, {8, 2, 1, 1, 1, 1, 1, 1}) == Numbers{8, 8});
  CHECK(on_nodes(9, 8, {9}).empty());
}

}  // namespace
}  // namespace huddle::recommend
