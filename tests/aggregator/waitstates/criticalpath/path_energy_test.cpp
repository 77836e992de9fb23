#include "aggregator/waitstates/criticalpath/path_energy.hpp"

#include <doctest/doctest.h>

#include "tests/aggregator/waitstates/criticalpath/log_builder.hpp"

namespace huddle {
namespace {

// Two ranks on n0 and one on n1. Rank 0 works for 400 ticks (of 1 ms), and is in a barrier for 600.
LogBuilder three_ranks() {
  LogBuilder builder(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    builder.call(rank, 400, 1000, "main/work", "main/MPI_Barrier");
    builder.span(rank, 0, 1000);
    builder.definitions.ranks[rank] = {"", rank < 2 ? "n0" : "n1", {rank}};
    builder.definitions.locations.push_back({"", rank, 0, 0});
  }
  builder.definitions.ticks_per_second = 1000;
  return builder;
}

const PathEnergy* energy_in(const std::vector<PathEnergy>& energies, std::uint32_t path,
                            std::uint32_t rank) {
  for (const PathEnergy& energy : energies)
    if (energy.call_path == path && energy.rank == rank) return &energy;
  return nullptr;
}

TEST_CASE("a call path has its thread's share of what its node took meanwhile") {
  LogBuilder builder = three_ranks();
  const ActivityLog log = builder.build();
  // 100 W until 600, 40 W then; until 900 only.
  const std::uint64_t begin = builder.report.begin;
  const MeasuredPower power(
      {{"n0", "package-0", 0, {{begin, 0}, {begin + 600, 100}, {begin + 900, 40}}}},
      builder.definitions);
  const auto energies = path_energy_of(log, builder.report, builder.definitions, power);
  CHECK(energies.size() == 4);
  const PathEnergy* const work = energy_in(energies, builder.path("main/work"), 0);
  const PathEnergy* const barrier = energy_in(energies, builder.path("main/MPI_Barrier"), 1);
  REQUIRE(work != nullptr);
  REQUIRE(barrier != nullptr);
  CHECK(work->joules == doctest::Approx(0.4 * 100 / 2));
  CHECK(work->known_ticks == 400);
  CHECK(barrier->joules == doctest::Approx((0.2 * 100 + 0.3 * 40) / 2));
  CHECK(barrier->known_ticks == 500);
  CHECK(energy_in(energies, builder.path("main/work"), 2) == nullptr);
}

TEST_CASE("without measured power there are no energies") {
  LogBuilder builder = three_ranks();
  const ActivityLog log = builder.build();
  CHECK(path_energy_of(log, builder.report, builder.definitions, {}).empty());
}

}  // namespace
}  // namespace huddle
