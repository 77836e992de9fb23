#include "profiles/recorder/profile/sparse_counters.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <map>
#include <thread>
#include <utility>
#include <vector>

using huddle::recorder::SparseCounters;

namespace {

template <std::size_t Columns>
std::map<std::uint64_t, std::array<std::uint64_t, Columns>> content(
    const SparseCounters<Columns>& counters) {
  std::map<std::uint64_t, std::array<std::uint64_t, Columns>> rows;
  counters.for_each([&](std::uint64_t key, const auto& row) {
    CHECK_MESSAGE(rows.emplace(key, row).second, "key ", key, " twice");
  });
  return rows;
}

}  // namespace

TEST_CASE("sparse counters that were never added to are empty") {
  const SparseCounters<2> counters;
  CHECK(content(counters).empty());
}

TEST_CASE("sparse counters add by key and column, the smallest and largest key included") {
  SparseCounters<2> counters;
  const std::uint64_t largest = SparseCounters<2>::kKeyLimit - 1;
  counters.add(0, {1, 10});
  counters.add(largest, {1, 20});
  counters.add(0, {2, 5});
  const auto rows = content(counters);
  REQUIRE(rows.size() == 2);
  CHECK(rows.at(0) == std::array<std::uint64_t, 2>{3, 15});
  CHECK(rows.at(largest) == std::array<std::uint64_t, 2>{1, 20});
}

TEST_CASE("sparse counters keep every sum while they grow") {
  // Steps of 128 are neighbouring receivers of one size class; 2^32 apart are collectives.
  for (const std::uint64_t step : {std::uint64_t{1}, std::uint64_t{128}, std::uint64_t{1} << 32U}) {
    SparseCounters<1> counters;
    std::map<std::uint64_t, std::array<std::uint64_t, 1>> expected;
    for (std::uint64_t i = 0; i < 3000; ++i) {
      const std::uint64_t key = (i * 7 % 1000) * step;
      counters.add(key, {i});
      expected[key][0] += i;
    }
    CHECK(content(counters) == expected);
  }
}

TEST_CASE("a cell adds to its key until the table grows, and never to another key's sums") {
  SparseCounters<1> counters;
  std::map<std::uint64_t, std::array<std::uint64_t, 1>> expected;
  std::vector<std::pair<std::uint64_t, SparseCounters<1>::Cell>> cells;
  for (std::uint64_t key = 0; key < 5000; ++key) {
    cells.emplace_back(key, counters.add(key, {1}));
    ++expected[key][0];
    // An old one, too: by now it may be in memory that a later table has taken.
    for (const std::size_t old : {cells.size() - 1, cells.size() / 2, std::size_t{0}})
      if (cells[old].second.add({7})) expected[cells[old].first][0] += 7;
  }
  CHECK(cells.back().second.add({7}));
  expected[cells.back().first][0] += 7;
  CHECK_FALSE(cells.front().second.add({7}));
  CHECK_FALSE(SparseCounters<1>::Cell().add({7}));
  CHECK(content(counters) == expected);
}

TEST_CASE("sparse counters can be read while their owner adds and they grow") {
  SparseCounters<1> counters;
  std::atomic<bool> done{false};
  std::thread owner([&] {
    for (std::uint64_t key = 1; key <= 20000; ++key) counters.add(key, {key});
    done = true;
  });
  bool right = true;
  while (!done)
    counters.for_each([&](std::uint64_t key, const auto& row) { right = right && row[0] == key; });
  owner.join();
  CHECK(right);
  CHECK(content(counters).size() == 20000);
}
