#include <doctest/doctest.h>

#include "aggregator/forecast/screening/detail/checks.hpp"
#include "tests/aggregator/forecast/screening/made_up_columns.hpp"

namespace huddle {
namespace {

using Rows = std::vector<std::size_t>;

TEST_CASE("a power ten times off that of like rows is implausible") {
  const ImplausibleEnergy found = find_implausible_energy(
      table_of({{ColumnRole::time, {1, 2, 3, 4, 5, 6, 7}},
                {ColumnRole::energy, {100, 210, 290, 4 * 1500, 520, 6 * 5, 700}}}));
  CHECK(found.unlike_others == Rows{3, 5});
  CHECK(found.beyond_nodes.empty());
}

TEST_CASE("rows with other threads are not alike: their power may differ by more") {
  std::vector<double> threads;
  std::vector<double> time;
  std::vector<double> energy;
  for (const double count : {1.0, 64.0})
    for (int i = 0; i < 6; ++i) {
      threads.push_back(count);
      time.push_back(2);
      energy.push_back((count > 1 ? 900 : 40) + i);
    }
  const ImplausibleEnergy found = find_implausible_energy(table_of(
      {{ColumnRole::threads, threads}, {ColumnRole::time, time}, {ColumnRole::energy, energy}}));
  CHECK(found.unlike_others.empty());
}

TEST_CASE("more power than a node draws is allowed for as many nodes as processes") {
  const auto rows = [](double processes) {
    return table_of({{ColumnRole::processes, {processes, processes}},
                     {ColumnRole::time, {1, 1}},
                     {ColumnRole::energy, {300, 30e3}}});
  };
  CHECK(find_implausible_energy(rows(1)).beyond_nodes == Rows{1});
  CHECK(find_implausible_energy(rows(64)).beyond_nodes.empty());
}

TEST_CASE("without time or energy nothing is implausible") {
  CHECK(find_implausible_energy(table_of({{ColumnRole::energy, {1, 1e30}}})).beyond_nodes.empty());
  CHECK(find_implausible_energy(table_of({{ColumnRole::time, {1, 2}}})).unlike_others.empty());
}

}  // namespace
}  // namespace huddle
