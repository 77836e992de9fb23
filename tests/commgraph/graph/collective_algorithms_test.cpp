#include "commgraph/graph/detail/collective_algorithms.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "profiles/vocabulary/error.hpp"

namespace huddle::commgraph {
namespace {

using Algorithm = CollectiveAlgorithm;
using Operation = CollectiveOperation;
using Amounts = std::pair<std::uint64_t, std::uint64_t>;  // messages, bytes
using Pairs = std::map<std::pair<std::uint32_t, std::uint32_t>, Amounts>;

constexpr Algorithm kLastAlgorithm = Algorithm::kChain;

Pairs pairs_of(const CollectiveTask& task) {
  Pairs pairs;
  expand(task, [&](std::uint32_t a, std::uint32_t b, std::uint64_t messages, std::uint64_t bytes) {
    REQUIRE(a != b);
    Amounts& amounts = pairs[std::minmax(a, b)];
    amounts.first += messages;
    amounts.second += bytes;
  });
  return pairs;
}

std::uint64_t total_bytes(const CollectiveTask& task) {
  std::uint64_t sum = 0;
  for (const auto& [pair, amounts] : pairs_of(task)) sum += amounts.second;
  return sum;
}

bool needs_power_of_two(Algorithm algorithm) {
  return algorithm == Algorithm::kScatterThenDoubling || algorithm == Algorithm::kAllgatherDoubling;
}

// Visits tasks of all algorithms, with up to 20 ranks and every root, of `ranks`^2 x 16 bytes.
template <class Visit>
void for_each_task(const Visit& visit) {
  for (unsigned algorithm = 0; algorithm <= static_cast<unsigned>(kLastAlgorithm); ++algorithm)
    for (std::uint32_t ranks = 2; ranks <= 20; ++ranks)
      for (std::uint32_t root = 0; root < ranks; ++root) {
        const CollectiveTask task{static_cast<Algorithm>(algorithm), ranks, root, 3,
                                  std::uint64_t{ranks} * ranks * 16};
        if (needs_power_of_two(task.algorithm) && !std::has_single_bit(ranks)) continue;
        CAPTURE(algorithm);
        CAPTURE(ranks);
        CAPTURE(root);
        visit(task);
      }
}

TEST_CASE("every algorithm connects all ranks of the communicator and nobody else") {
  for_each_task([](const CollectiveTask& task) {
    std::vector<std::uint32_t> group(task.ranks);
    std::iota(group.begin(), group.end(), 0U);
    for (const auto& [pair, amounts] : pairs_of(task)) {
      const std::uint32_t merged = group.at(pair.first);
      const std::uint32_t other = group.at(pair.second);
      for (std::uint32_t& of_rank : group)
        if (of_rank == other) of_rank = merged;
      CHECK(amounts.first % task.calls == 0);
    }
    CHECK(group == std::vector<std::uint32_t>(task.ranks, group[0]));
  });
}

TEST_CASE("no algorithm makes more edges than it says beforehand") {
  for_each_task([](const CollectiveTask& task) {
    std::uint64_t edges = 0;
    expand(task, [&](auto, auto, auto, auto) { ++edges; });
    CHECK(edges <= most_edges_of(task));
  });
}

// Where that is a simple formula.
std::optional<std::uint64_t> bytes_by_formula(const CollectiveTask& task) {
  const std::uint64_t p = task.ranks;
  const std::uint64_t m = task.bytes;
  switch (task.algorithm) {
    case Algorithm::kDissemination:
      return 0;
    case Algorithm::kBinomialTree:
    case Algorithm::kStarGather:
    case Algorithm::kChain:
    case Algorithm::kRingReduceScatter:
    case Algorithm::kCompleteExchange:
      return (p - 1) * m;
    case Algorithm::kStarScatter:
      return (p - 1) * m / p;
    case Algorithm::kRingAllreduce:
      return 2 * (p - 1) * m;
    case Algorithm::kAllgatherDoubling:
    case Algorithm::kBruckAllgather:
    case Algorithm::kRingAllgather:
      return p * (p - 1) * m;
    default:
      return std::nullopt;
  }
}

TEST_CASE("algorithms move as many bytes as their papers say") {
  for_each_task([](const CollectiveTask& task) {
    if (const auto bytes = bytes_by_formula(task)) CHECK(total_bytes(task) == *bytes);
  });
}

TEST_CASE("a gather of six ranks goes up the binomial tree of its root") {
  CHECK(pairs_of({Algorithm::kBinomialGather, 6, 0, 2, 80}) == Pairs{{{0, 1}, {2, 80}},
                                                                     {{0, 2}, {2, 160}},
                                                                     {{2, 3}, {2, 80}},
                                                                     {{0, 4}, {2, 160}},
                                                                     {{4, 5}, {2, 80}}});
  CHECK(pairs_of({Algorithm::kBinomialGather, 4, 3, 1, 8}) ==
        Pairs{{{0, 3}, {1, 8}}, {{1, 3}, {1, 16}}, {{1, 2}, {1, 8}}});
}

TEST_CASE("recursive doubling exchanges with ranks that differ in one bit") {
  CHECK(pairs_of({Algorithm::kRecursiveDoubling, 4, 0, 10, 80}) ==
        Pairs{{{0, 1}, {20, 160}}, {{2, 3}, {20, 160}}, {{0, 2}, {20, 160}}, {{1, 3}, {20, 160}}});
  // The fifth makes the first wait for its neighbour.
  CHECK(pairs_of({Algorithm::kRecursiveDoubling, 5, 0, 1, 8}) == Pairs{{{0, 1}, {2, 16}},
                                                                       {{1, 2}, {2, 16}},
                                                                       {{3, 4}, {2, 16}},
                                                                       {{1, 3}, {2, 16}},
                                                                       {{2, 4}, {2, 16}}});
}

TEST_CASE("Rabenseifner's allreduce halves what it exchanges from round to round") {
  CHECK(pairs_of({Algorithm::kRabenseifner, 4, 0, 1, 800}) ==
        Pairs{{{0, 1}, {4, 1600}}, {{2, 3}, {4, 1600}}, {{0, 2}, {4, 800}}, {{1, 3}, {4, 800}}});
}

TEST_CASE("Rabenseifner's reduce gathers the pieces at the root") {
  // Reduce-scatter as above, half as much; then 0 -> 2 and 1 -> 3 a quarter, 3 -> 2 a half.
  CHECK(pairs_of({Algorithm::kRabenseifnerReduce, 4, 2, 1, 800}) ==
        Pairs{{{0, 1}, {2, 800}}, {{2, 3}, {3, 1200}}, {{0, 2}, {3, 600}}, {{1, 3}, {3, 600}}});
}

TEST_CASE("recursive halving exchanges most with the farthest rank") {
  CHECK(pairs_of({Algorithm::kRecursiveHalving, 4, 0, 1, 800}) ==
        Pairs{{{0, 1}, {2, 400}}, {{2, 3}, {2, 400}}, {{0, 2}, {2, 800}}, {{1, 3}, {2, 800}}});
}

TEST_CASE("a long broadcast scatters pieces and then passes them on") {
  CHECK(pairs_of({Algorithm::kScatterThenRing, 4, 0, 1, 400}) == Pairs{{{0, 1}, {4, 400}},
                                                                       {{0, 2}, {1, 200}},
                                                                       {{1, 2}, {3, 300}},
                                                                       {{2, 3}, {4, 400}},
                                                                       {{0, 3}, {3, 300}}});
  CHECK(pairs_of({Algorithm::kScatterThenDoubling, 4, 0, 1, 400}) ==
        Pairs{{{0, 1}, {3, 300}}, {{0, 2}, {3, 600}}, {{2, 3}, {3, 300}}, {{1, 3}, {2, 400}}});
}

TEST_CASE("Bruck's all-to-all sends the blocks whose number has the round's bit") {
  // Three of the blocks 1 to 5 have bit 0, two have bit 1, and two bit 2.
  CHECK(pairs_of({Algorithm::kBruckAlltoall, 6, 0, 1, 60})[{0, 1}] == Amounts{1, 30});
  CHECK(pairs_of({Algorithm::kBruckAlltoall, 6, 0, 1, 60})[{0, 2}] == Amounts{2, 40});
}

TEST_CASE("names of operations that block and that do not mean the same") {
  CHECK(collective_named("allreduce") == Operation::kAllreduce);
  CHECK(collective_named("iallreduce") == Operation::kAllreduce);
  CHECK(collective_named("ialltoallw") == Operation::kAlltoallv);
  CHECK(collective_named("exscan") == Operation::kScan);
  CHECK(!collective_named("i"));
  CHECK(!collective_named("neighbor_alltoall"));
  CHECK(!collective_named("Allreduce"));
}

TEST_CASE("the algorithm depends on the size and on the number of ranks") {
  CHECK(algorithm_for(Operation::kBroadcast, 64, 100) == Algorithm::kBinomialTree);
  CHECK(algorithm_for(Operation::kBroadcast, 64, 100'000) == Algorithm::kScatterThenDoubling);
  CHECK(algorithm_for(Operation::kBroadcast, 63, 100'000) == Algorithm::kScatterThenRing);
  CHECK(algorithm_for(Operation::kBroadcast, 7, 100'000) == Algorithm::kBinomialTree);
  CHECK(algorithm_for(Operation::kAllreduce, 6, 8) == Algorithm::kRecursiveDoubling);
  CHECK(algorithm_for(Operation::kAllreduce, 8, 20'000) == Algorithm::kRabenseifner);
  CHECK(algorithm_for(Operation::kAllreduce, 6, 20'000) == Algorithm::kRingAllreduce);
  CHECK(algorithm_for(Operation::kAllreduce, 8, 20'000'000) == Algorithm::kRingAllreduce);
  CHECK(algorithm_for(Operation::kAlltoall, 64, 64 * 8) == Algorithm::kBruckAlltoall);
  CHECK(algorithm_for(Operation::kAlltoall, 64, 64 * 800) == Algorithm::kCompleteExchange);
  CHECK(algorithm_for(Operation::kAlltoall, 12, 12 * 8) == Algorithm::kCompleteExchange);
  CHECK(algorithm_for(Operation::kAllgather, 8, 8) == Algorithm::kAllgatherDoubling);
  CHECK(algorithm_for(Operation::kAllgather, 6, 8) == Algorithm::kBruckAllgather);
  CHECK(algorithm_for(Operation::kAllgather, 6, 80'000) == Algorithm::kRingAllgather);
  CHECK(algorithm_for(Operation::kAllgather, 6, std::numeric_limits<std::uint64_t>::max()) ==
        Algorithm::kRingAllgather);
}

TEST_CASE("collectives that move 2^64 bytes are an error") {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  CHECK_THROWS_AS(pairs_of({Algorithm::kRingAllgather, 4, 0, 1, kLargest}), Error);
  CHECK_THROWS_AS(pairs_of({Algorithm::kRecursiveDoubling, 4, 0, kLargest, 1}), Error);
  CHECK_NOTHROW(pairs_of({Algorithm::kChain, 4, 0, kLargest, kLargest}));
}

}  // namespace
}  // namespace huddle::commgraph
