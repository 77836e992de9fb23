#include "aggregator/predict/communication/collective_table.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/aggregator/sample_runs.hpp"

namespace huddle::predict {
namespace {

CollectiveTimes row(const char* operation, const char* pattern, std::uint32_t ranks,
                    const std::vector<std::pair<std::uint64_t, double>>& times) {
  CollectiveTimes entry{operation, pattern, ranks, {}};
  for (const auto& [bytes, seconds] : times)
    entry.times.push_back({{bytes}, {seconds}, Origin::kMeasured});
  return entry;
}

RankSpread spread(const char* pattern, std::uint32_t ranks) {
  const Pattern parsed = Pattern::parse(pattern);
  const std::uint32_t of_node = std::min(ranks, parsed.ranks_per_node());
  return {ranks, parsed.nodes_for(ranks), of_node, std::uint64_t{of_node} * (ranks - of_node),
          parsed};
}

CollectiveTable table_of(const std::vector<CollectiveTimes>& rows) {
  Machine machine = slow_machine();
  machine.collectives = rows;
  return {machine, MessageTable(machine)};
}

double seconds(const CollectiveTable& table, const char* operation, const RankSpread& on,
               std::uint32_t participants, double bytes) {
  const auto curve = table.curve(operation, on, participants);
  REQUIRE(curve);
  return curve->seconds(bytes);
}

TEST_CASE("a collective that is in the table takes the table's time") {
  const CollectiveTable table = table_of({row("bcast", "2:2:1", 16, {{8, 4}, {128, 16}})});
  CHECK(seconds(table, "bcast", spread("2:2:1", 16), 16, 8) == doctest::Approx(4));
  CHECK(seconds(table, "bcast", spread("2:2:1", 16), 16, 32) == doctest::Approx(8));
}

TEST_CASE("an operation that the table lacks, or has only inside nodes, is unknown") {
  const CollectiveTable table = table_of({row("bcast", "2:2:2", 8, {{8, 4}})});
  CHECK(!table.curve("reduce", spread("2:2:2", 8), 8));
  CHECK(!table.curve("bcast", spread("2:2:2", 16), 16));
  CHECK(!table.curve("neighbor_alltoall", spread("2:2:2", 8), 8));
}

TEST_CASE("an operation that starts at once or varies in size counts as its plain one") {
  const CollectiveTable table =
      table_of({row("alltoall", "1:1:1", 2, {{8, 4}}), row("allreduce", "1:1:1", 2, {{8, 5}}),
                row("ibcast", "1:1:1", 2, {{8, 6}}), row("bcast", "1:1:1", 2, {{8, 7}})});
  const RankSpread two = spread("1:1:1", 2);
  for (const char* operation : {"alltoallv", "alltoallw", "ialltoallv", "ialltoall"})
    CHECK(seconds(table, operation, two, 2, 8) == doctest::Approx(4));
  CHECK(seconds(table, "iallreduce", two, 2, 8) == doctest::Approx(5));
  CHECK(seconds(table, "ibcast", two, 2, 8) == doctest::Approx(6));
}

TEST_CASE("of patterns with that number of ranks a node, the one that spreads alike counts") {
  const CollectiveTable table =
      table_of({row("bcast", "1:1:1", 16, {{8, 1}}), row("bcast", "1:2:2", 16, {{8, 2}}),
                row("bcast", "2:1:2", 16, {{8, 3}}), row("bcast", "2:2:2", 16, {{8, 4}})});
  CHECK(seconds(table, "bcast", spread("2:1:2", 16), 16, 8) == doctest::Approx(3));
  CHECK(seconds(table, "bcast", spread("1:2:2", 16), 16, 8) == doctest::Approx(2));
  CHECK(seconds(table, "bcast", spread("1:1:4", 16), 16, 8) == doctest::Approx(2));
  CHECK(seconds(table, "bcast", spread("2:2:3", 24), 16, 8) == doctest::Approx(4));
}

TEST_CASE("between two patterns of the table times stay in proportion to the ranks of a node") {
  const CollectiveTable table =
      table_of({row("bcast", "1:1:2", 64, {{8, 2}}), row("bcast", "1:2:2", 64, {{8, 5}}),
                row("bcast", "2:2:2", 64, {{8, 20}})});
  const double half_way = std::log2(6 / 4.0);
  CHECK(seconds(table, "bcast", spread("2:1:3", 64), 64, 8) ==
        doctest::Approx(5 * std::pow(20 / 5.0, half_way)));
}

TEST_CASE("an all-to-all on uneven nodes is as slow as the busiest node's border") {
  const CollectiveTable table =
      table_of({row("alltoall", "1:1:4", 16, {{8, 4}}), row("alltoall", "2:2:2", 16, {{8, 10}}),
                row("bcast", "1:1:4", 16, {{8, 1}}), row("bcast", "2:2:2", 16, {{8, 3}})});
  // 12 and 4 ranks: 48 messages cross, as between 4 ranks and 12 others.
  const RankSpread uneven{16, 2, 12, 48, {2, 2, 3}};
  CHECK(seconds(table, "alltoall", uneven, 16, 8) == doctest::Approx(4));
  CHECK(seconds(table, "bcast", uneven, 16, 8) == doctest::Approx(3));
}

TEST_CASE("between two numbers of ranks times stay in proportion") {
  const CollectiveTable table =
      table_of({row("bcast", "1:1:1", 4, {{8, 4}}), row("bcast", "1:1:1", 16, {{8, 16}})});
  CHECK(seconds(table, "bcast", spread("1:1:1", 8), 8, 8) == doctest::Approx(8));
}

TEST_CASE("beyond the most or fewest ranks times grow like log2 of them") {
  const CollectiveTable table =
      table_of({row("bcast", "1:1:1", 4, {{8, 4}}), row("bcast", "1:1:1", 16, {{8, 16}})});
  CHECK(seconds(table, "bcast", spread("1:1:1", 64), 64, 8) == doctest::Approx(16 * 6 / 4.0));
  CHECK(seconds(table, "bcast", spread("1:1:1", 2), 2, 8) == doctest::Approx(4 / 2.0));
}

TEST_CASE("an all-to-all grows like the ranks less 1 with the same bytes for each other one") {
  // 16 bytes for each of 4, and 256.
  const CollectiveTable table = table_of({row("alltoall", "1:1:1", 4, {{64, 3}, {1024, 12}})});
  CHECK(seconds(table, "alltoall", spread("1:1:1", 16), 16, 16 * 16) == doctest::Approx(15));
  CHECK(seconds(table, "alltoall", spread("1:1:1", 16), 16, 16 * 64) == doctest::Approx(30));
  CHECK(seconds(table, "alltoall", spread("1:1:1", 2), 2, 2 * 16) == doctest::Approx(1));
}

}  // namespace
}  // namespace huddle::predict
