#include <doctest/doctest.h>

#include <optional>

#include "spank_plugin/runtime/report_rounds.hpp"

namespace huddle::runtime {
namespace {

balancing::BalanceReport report_of(int rank, int round) {
  balancing::BalanceReport report;
  report.maxima[balancing::BalanceReport::kLongest] = rank + 10 * round;
  report.maxima[balancing::BalanceReport::kMinusShortest] = -(rank + 10 * round);
  report.sums[balancing::BalanceReport::kWork] = rank;
  return report;
}

TEST_CASE("rounds combine the reports of all ranks, each in its turn, while others communicate") {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ReportRounds rounds;
  CHECK_FALSE(rounds.finished());
  for (int round = 0; round < 20; ++round) {
    REQUIRE(rounds.start(report_of(rank, round)));
    std::optional<balancing::BalanceReport> all;
    while (!all) {
      int value = 1;
      MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      CHECK(value == ranks);
      all = rounds.finished();
      // All leave this loop together, so that all go through it as often.
      int missing = all ? 0 : 1;
      MPI_Allreduce(MPI_IN_PLACE, &missing, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
      if (missing == 0) break;
      while (!all) all = rounds.finished();
    }
    CHECK(all->maxima[balancing::BalanceReport::kLongest] == ranks - 1 + 10 * round);
    CHECK(all->maxima[balancing::BalanceReport::kMinusShortest] == -10 * round);
    CHECK(all->sums[balancing::BalanceReport::kWork] == ranks * (ranks - 1) / 2);
  }
  rounds.finish();
}

TEST_CASE("ranks that have begun fewer rounds than others end all the same") {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int ahead = 0; ahead < 2; ++ahead) {
    ReportRounds rounds;
    if (rank % 2 == ahead) CHECK(rounds.start(report_of(rank, 0)));
    rounds.finish();
  }
}

}  // namespace
}  // namespace huddle::runtime
