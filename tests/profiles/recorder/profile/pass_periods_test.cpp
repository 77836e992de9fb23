#include "profiles/recorder/profile/pass_periods.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace huddle::recorder {
namespace {

// A sequence whose passes are of one group or of some, and whose lengths differ by a factor of up
// to ten.
class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}

  std::vector<GroupPass> period(std::size_t length) {
    std::vector<GroupPass> passes(length);
    const std::uint64_t groups = 1 + random_() % 3;
    for (GroupPass& pass : passes) pass = any(groups);
    return passes;
  }
  GroupPass any(std::uint64_t groups) {
    return {100 + random_() % groups,
            static_cast<std::uint64_t>(1e7 * std::pow(10, uniform_(random_)))};
  }
  // Lengths scatter by this share of them.
  std::vector<GroupPass> repeated(const std::vector<GroupPass>& period, std::size_t passes,
                                  double noise) {
    std::vector<GroupPass> all;
    for (std::size_t i = 0; i < passes; ++i) {
      GroupPass pass = period[i % period.size()];
      const double factor = std::max(1 + noise * normal_(random_), 0.01);
      pass.ticks = static_cast<std::uint64_t>(static_cast<double>(pass.ticks) * factor);
      all.push_back(pass);
    }
    return all;
  }
  std::size_t length() { return 4 + random_() % 37; }
  std::mt19937_64& random() { return random_; }

 private:
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> uniform_{0, 1};
  std::normal_distribution<double> normal_{0, 1};
};

}  // namespace

TEST_CASE("in 95 of 100 random sequences the period is found after four of it, at 5 % noise") {
  Draw draw(1);
  int found = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto period = draw.period(draw.length());
    const auto passes = draw.repeated(period, 4 * period.size(), 0.05);
    const auto seen = find_period(passes);
    found += seen && seen->length == period.size() && seen->first == 0 ? 1 : 0;
  }
  MESSAGE(found << " of 1000");
  CHECK(found >= 950);
}

TEST_CASE("in sequences without a period none is found, however long they are") {
  Draw draw(2);
  int found = 0;
  for (int i = 0; i < 100; ++i) {
    std::vector<GroupPass> passes;
    const std::uint64_t groups = 1 + draw.random()() % 3;
    PassPeriods periods;
    for (std::size_t k = 0; k < 3000; ++k) {
      passes.push_back(draw.any(groups));
      periods.add(passes.back());
      if (passes.size() % 50 == 0 && find_period(passes)) ++found;
    }
    if (periods.period()) ++found;
  }
  CHECK(found == 0);
}

TEST_CASE("passes that are all alike, or get longer and longer, have no period") {
  Draw draw(3);
  const std::vector<GroupPass> alike = draw.repeated({{7, 100'000}}, 512, 0.05);
  CHECK_FALSE(find_period(alike));
  std::vector<GroupPass> growing;
  for (std::uint64_t i = 0; i < 512; ++i) growing.push_back({7, 10'000 + 500 * i});
  CHECK_FALSE(find_period(growing));
  CHECK_FALSE(find_period({}));
  CHECK_FALSE(find_period(std::vector<GroupPass>(5, {1, 1})));
}

TEST_CASE("periods of groups are found where lengths say nothing") {
  Draw draw(4);
  const auto passes =
      draw.repeated({{1, 100'000}, {2, 100'000}, {2, 100'000}, {3, 100'000}}, 40, 0.2);
  const auto found = find_period(passes);
  REQUIRE(found);
  CHECK(found->length == 4);
}

TEST_CASE(
    "fourteen passes of which seven are nearly those before are fourteen, and seven are seven") {
  Draw draw(5);
  std::vector<GroupPass> seven = {{1, 900'000}, {1, 400'000}, {1, 200'000}, {1, 100'000},
                                  {1, 200'000}, {1, 400'000}, {1, 800'000}};
  std::vector<GroupPass> fourteen = seven;
  for (const GroupPass& pass : seven) fourteen.push_back({1, pass.ticks * 7 / 5});
  CHECK(find_period(draw.repeated(seven, 100, 0.05))->length == 7);
  CHECK(find_period(draw.repeated(fourteen, 100, 0.05))->length == 14);
}

TEST_CASE(
    "a period is found behind a beginning that has none, and what came behind it does not count") {
  Draw draw(6);
  PassPeriods periods;
  for (int i = 0; i < 700; ++i) periods.add(draw.any(3));
  const auto period = draw.period(14);
  for (const GroupPass& pass : draw.repeated(period, 2800, 0.05)) periods.add(pass);
  for (int i = 0; i < 400; ++i) periods.add(draw.any(3));
  const auto found = periods.period();
  REQUIRE(found);
  CHECK(found->groups.size() == 14);
  CHECK(found->first >= 690);
  CHECK(found->first <= 1300);
  CHECK(found->passes >= 2000);
  CHECK(found->first + found->passes <= 3520);
  // Its groups are those of the period, from where it was seen to begin.
  for (std::size_t i = 0; i < 14; ++i)
    CHECK(found->groups[i] == period[(found->first - 700 + i) % 14].group);
}

TEST_CASE("a program that goes through one period and then another has the longer one") {
  Draw draw(7);
  PassPeriods periods;
  for (const GroupPass& pass : draw.repeated(draw.period(9), 600, 0.05)) periods.add(pass);
  for (const GroupPass& pass : draw.repeated(draw.period(11), 3000, 0.05)) periods.add(pass);
  const auto found = periods.period();
  REQUIRE(found);
  CHECK(found->groups.size() == 11);
}

// As in a multi-zone program: in each time step of 208 regions, two kinds take turns for all faces
// of its 16 zones, and then each zone has nine others, which take as long as the zone is large.
TEST_CASE("a step of many zones is the period, and not the two regions that take turns in it") {
  std::vector<GroupPass> step;
  for (int face = 0; face < 32; ++face) step.insert(step.end(), {{1, 20'000}, {2, 21'000}});
  for (std::uint64_t zone = 1; zone <= 16; ++zone)
    for (std::uint64_t region = 3; region < 12; ++region)
      step.push_back({region, 10'000 * zone * region});
  REQUIRE(step.size() == 208);
  Draw draw(10);
  PassPeriods periods;
  for (const GroupPass& pass : draw.repeated(step, 100 * 208 + 64, 0.03)) periods.add(pass);
  const auto found = periods.period();
  REQUIRE(found);
  CHECK(found->groups.size() == 208);
}

TEST_CASE("what comes again inside of a period that is too long to be found is no period") {
  std::vector<GroupPass> step;
  for (int face = 0; face < 150; ++face) step.insert(step.end(), {{1, 20'000}, {2, 21'000}});
  for (std::uint64_t region = 3; region < 800; ++region) step.push_back({region, 10'000});
  Draw draw(11);
  PassPeriods periods;
  for (const GroupPass& pass : draw.repeated(step, 30 * step.size() + 300, 0.03)) periods.add(pass);
  CHECK_FALSE(periods.period());
}

// As the recorder has them of regions, four periods that end where no look is due, with what it
// takes at the end.
TEST_CASE(
    "of sequences of regions with periods of 14 and 7, 95 of 100 are found after four of it") {
  Draw draw(8);
  for (const std::size_t length : {std::size_t{14}, std::size_t{7}}) {
    int found = 0;
    for (int i = 0; i < 100; ++i) {
      PassPeriods periods;
      const auto period = draw.period(length);
      for (const GroupPass& pass : draw.repeated(period, 4 * length, 0.05)) periods.add(pass);
      const auto seen = periods.period();
      found += seen && seen->groups.size() == length ? 1 : 0;
    }
    MESSAGE(found << " of 100 with a period of " << length);
    CHECK(found >= 95);
  }
}

// Single passes of short regions have no length of their own, only the usual one.
TEST_CASE("the order of short regions has a period of its own, and none if it is random") {
  Draw draw(9);
  int found = 0;
  for (int i = 0; i < 100; ++i) {
    PassPeriods periods;
    PassPeriods random;
    const std::vector<GroupPass> kinds = {{1, 900}, {2, 400}, {3, 2000}};
    std::vector<GroupPass> period;
    for (std::size_t k = 0; k < 14; ++k) period.push_back(kinds[draw.random()() % kinds.size()]);
    for (const GroupPass& pass : draw.repeated(period, 140, 0)) periods.add(pass);
    for (int k = 0; k < 3000; ++k) random.add(kinds[draw.random()() % kinds.size()]);
    const auto seen = periods.period();
    found += seen && 14 % seen->groups.size() == 0 ? 1 : 0;
    CHECK_FALSE(random.period());
  }
  CHECK(found >= 95);
}

}  // namespace huddle::recorder
