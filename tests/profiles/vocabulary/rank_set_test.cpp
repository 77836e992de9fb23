#include "profiles/vocabulary/rank_set.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

constexpr std::uint32_t kAny = 4294967295U;

std::string rewritten(std::string_view list) {
  return RankSet::parse(list, kAny).list();
}

TEST_CASE("ranks of equal stride are one run, and few that happen to have one are not") {
  CHECK(RankSet(std::vector<std::uint32_t>{}).list() == "");
  CHECK(RankSet({7}).list() == "7");
  CHECK(RankSet({3, 1, 2, 0, 8, 2}).list() == "0-3,8");
  CHECK(RankSet({0, 4}).list() == "0,4");
  CHECK(RankSet({0, 4, 8}).list() == "0-8:4");
  CHECK(RankSet({0, 8, 9, 10}).list() == "0,8-10");
  CHECK(RankSet({0, 1, 5, 9, 13}).list() == "0-1,5-13:4");
  CHECK(RankSet({0, 3, 6, 8, 10}).list() == "0-6:3,8,10");
}

TEST_CASE("a column of a process grid takes one run, however many ranks it has") {
  std::vector<std::uint32_t> column;
  for (std::uint32_t row = 0; row < 1024; ++row) column.push_back(5 + 1024 * row);
  const RankSet set(column);
  CHECK(set.list() == "5-1047557:1024");
  CHECK(set.runs().size() == 1);
  CHECK(set.size() == 1024);
}

TEST_CASE("equal sets are equal however their lists were written") {
  CHECK(rewritten("") == "");
  CHECK(rewritten("0,1,2,3") == "0-3");
  CHECK(rewritten("0-1,2-3") == "0-3");
  CHECK(rewritten("5-5") == "5");
  CHECK(rewritten("5-5:9") == "5");
  CHECK(rewritten("1-3:2") == "1,3");
  CHECK(rewritten("0-3:1") == "0-3");
  CHECK(rewritten("0,4-12:4,16") == "0-16:4");
  CHECK(rewritten("0-8:4,9") == "0-8:4,9");
  CHECK(rewritten("0,2,4-10:2,11-20") == "0-10:2,11-20");
  CHECK(rewritten("0,5-6") == "0,5-6");
  CHECK(RankSet::parse("0-1,2-3", 4) == RankSet({0, 1, 2, 3}));
}

TEST_CASE("a run of billions of ranks costs no more than a short one") {
  const RankSet set = RankSet::parse("0-4294967294", kAny);
  CHECK(set.size() == 4294967295U);
  CHECK(set.contains({4294967294U}));
  CHECK(set.list() == "0-4294967294");
  CHECK(rewritten("0-2147483646:2,2147483648-4294967294:2") == "0-4294967294:2");
}

TEST_CASE("membership is that of the list") {
  const RankSet set = RankSet::parse("1-3,10,20-32:4", 100);
  CHECK(set.size() == 8);
  for (const std::uint32_t rank : {1U, 2U, 3U, 10U, 20U, 24U, 28U, 32U})
    CHECK(set.contains({rank}));
  for (const std::uint32_t rank : {0U, 4U, 9U, 11U, 19U, 21U, 36U})
    CHECK_FALSE(set.contains({rank}));
  CHECK_FALSE(set.empty());
  CHECK(RankSet().empty());
  CHECK(RankSet().size() == 0);
  CHECK_FALSE(RankSet().contains({0}));
}

TEST_CASE("what is not an ascending list of ranks below the limit is refused by name") {
  for (const std::string list : {"-",          "a",
                                 "1-",         "-1",
                                 "1,",         ",1",
                                 "1,,2",       "3-1",
                                 "1 ,2",       "1-2-3",
                                 "1:2",        "1-5:",
                                 "1-5:0",      "1-6:2",
                                 "2,1",        "1,1",
                                 "0-4,4",      "0-8:4,5",
                                 "10",         "0-10",
                                 "4294967296", "1-9:4294967296"})
    CHECK(error_of([&] { RankSet::parse(list, 10); }) ==
          "\"" + list +
              "\" is not an ascending list of ranks such as 0-3,8,16-28:4 (numbers below 10)");
}

TEST_CASE("any set survives its list, with the members it had") {
  std::mt19937 engine(7);
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  for (int round = 0; round < 2000; ++round) {
    const std::uint32_t range = 1 + random() % 64;
    std::set<std::uint32_t> ranks;
    for (std::uint32_t i = random() % range; i > 0; --i) ranks.insert(random() % range);
    const RankSet set(std::vector<std::uint32_t>(ranks.begin(), ranks.end()));
    CAPTURE(set.list());
    CHECK(RankSet::parse(set.list(), range) == set);
    CHECK(set.size() == ranks.size());
    bool same = true;
    for (std::uint32_t rank = 0; rank < range; ++rank)
      same = same && set.contains({rank}) == (ranks.count(rank) > 0);
    CHECK(same);
    for (std::size_t i = 1; i < set.runs().size(); ++i)
      CHECK(set.runs()[i - 1].last < set.runs()[i].first);
  }
}

}  // namespace
}  // namespace huddle
