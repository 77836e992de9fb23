#include <doctest/doctest.h>

#include <numeric>

#include "aggregator/predict/pattern/placement.hpp"
#include "tests/aggregator/sample_runs.hpp"

namespace huddle::predict {
namespace {

constexpr std::uint32_t kSeveral = Location::kSeveral;

void check_at(const Location& at, std::uint32_t node, std::uint32_t package, std::uint32_t die) {
  CHECK(at.node == node);
  CHECK(at.package == package);
  CHECK(at.die == die);
}

Location measured(const std::string& pus) {
  Profile profile = run_of(1, 1);
  profile.rank_records[0].pus = PuSet::parse(pus);
  return measured_locations(profile, small_node()).front();
}

TEST_CASE("the distance of two ranks is the innermost thing they share") {
  CHECK(distance_between({0, 0, 0}, {0, 0, 0}) == Distance::kDie);
  CHECK(distance_between({0, 0, 0}, {0, 0, 1}) == Distance::kPackage);
  CHECK(distance_between({0, 0, 0}, {0, 1, 0}) == Distance::kNode);
  CHECK(distance_between({0, 0, 0}, {1, 0, 0}) == Distance::kNetwork);
}

TEST_CASE("ranks that may be anywhere share no more than what is sure") {
  const Location anywhere{0, kSeveral, kSeveral};
  const Location in_package{0, 1, kSeveral};
  CHECK(distance_between(anywhere, anywhere) == Distance::kNode);
  CHECK(distance_between(anywhere, {0, 0, 0}) == Distance::kNode);
  CHECK(distance_between(in_package, in_package) == Distance::kPackage);
  CHECK(distance_between(in_package, {0, 1, 0}) == Distance::kPackage);
  CHECK(distance_between(in_package, {0, 0, 0}) == Distance::kNode);
  CHECK(distance_between(anywhere, {1, kSeveral, kSeveral}) == Distance::kNetwork);
}

TEST_CASE("cores of a pattern lie in its dies, packages and nodes in turn") {
  const std::vector<Location> at = locations_on({2, 1, 2}, {0, 1, 2, 3, 4, 11});
  check_at(at[0], 0, 0, 0);
  check_at(at[1], 0, 0, 0);
  check_at(at[2], 0, 1, 0);
  check_at(at[3], 0, 1, 0);
  check_at(at[4], 1, 0, 0);
  check_at(at[5], 2, 1, 0);
  const std::vector<Location> wide = locations_on({1, 2, 1}, {1, 0, 3});
  check_at(wide[0], 0, 0, 1);
  check_at(wide[1], 0, 0, 0);
  check_at(wide[2], 1, 0, 1);
}

TEST_CASE("a measured rank is where its PUs are, as far as they agree") {
  check_at(measured("0"), 0, 0, 0);
  check_at(measured("0-1"), 0, 0, 0);
  check_at(measured("3"), 0, 0, 1);
  check_at(measured("1-2"), 0, 0, kSeveral);
  check_at(measured("4-7"), 0, 1, kSeveral);
  check_at(measured("0,4"), 0, kSeveral, kSeveral);
  check_at(measured("0,4,5"), 0, kSeveral, kSeveral);
  check_at(measured("0-7"), 0, kSeveral, kSeveral);
}

TEST_CASE("a rank without PUs, or with some that the machine lacks, may be anywhere") {
  check_at(measured(""), 0, kSeveral, kSeveral);
  check_at(measured("99"), 0, kSeveral, kSeveral);
  check_at(measured("0,99"), 0, kSeveral, kSeveral);
}

TEST_CASE("measured nodes are numbered by their lowest rank") {
  Profile profile = run_of(4, 2);
  profile.rank_records[0].node = "z";
  profile.rank_records[3].node = "z";
  const std::vector<Location> at = measured_locations(profile, small_node());
  CHECK(at[0].node == 0);
  CHECK(at[1].node == 1);
  CHECK(at[2].node == 2);
  CHECK(at[3].node == 0);
}

}  // namespace

namespace {

std::vector<RankClass> classes_on(const Pattern& pattern, std::uint32_t ranks) {
  std::vector<std::uint32_t> cores(ranks);
  std::iota(cores.begin(), cores.end(), 0U);
  return classes_of(locations_on(pattern, cores)).value();
}

TEST_CASE("ranks of a full pattern share alike, and the pattern follows from it") {
  for (const Pattern& pattern : {Pattern{1, 1, 1}, Pattern{2, 3, 4}, Pattern{2, 1, 3}}) {
    const auto classes = classes_on(pattern, 2 * pattern.ranks_per_node());
    REQUIRE(classes.size() == 1);
    CHECK(classes[0].sharing == sharing_of(pattern));
    CHECK(classes[0].ranks.size() == 2 * pattern.ranks_per_node());
    CHECK(pattern_with(classes[0].sharing) == pattern);
  }
}

TEST_CASE("a last node that is not full is another class, or several") {
  const auto classes = classes_on({2, 2, 2}, 14);
  REQUIRE(classes.size() == 3);
  CHECK(classes[0].sharing == Sharing{2, 2, 6});
  CHECK(classes[0].ranks == std::vector<std::uint32_t>{12, 13});
  CHECK(classes[1].sharing == Sharing{2, 4, 6});
  CHECK(classes[2].sharing == Sharing{2, 4, 8});
  CHECK(classes[2].ranks.size() == 8);
}

TEST_CASE("no pattern has dies or packages that differ") {
  CHECK_FALSE(pattern_with({2, 3, 6}).has_value());
  CHECK_FALSE(pattern_with({2, 4, 6}).has_value());
}

TEST_CASE("ranks that may run on several dies have no known sharing") {
  CHECK_FALSE(classes_of({{0, 0, 0}, {0, 0, Location::kSeveral}}).has_value());
  CHECK_FALSE(sharings_of({{0, Location::kSeveral, 0}}).has_value());
  CHECK(sharings_of({}).value().empty());
}

TEST_CASE("ranks share a core and a NUMA node as the pattern says") {
  const std::string names[] = {"2:2:1:3:2", "1:2:2:1:1", "2:1:2:2", "1:1:4"};
  for (const std::string& name : names) {
    CAPTURE(name);
    const Pattern pattern = Pattern::parse(name);
    std::vector<std::uint32_t> cores(2 * pattern.ranks_per_node());
    std::iota(cores.begin(), cores.end(), 0U);
    const std::vector<Location> locations = locations_on(pattern, cores);
    const auto classes = classes_of(locations);
    REQUIRE(classes);
    REQUIRE(classes->size() == 1);
    CHECK(classes->front().sharing == sharing_of(pattern));
    CHECK(pattern_with(classes->front().sharing) == pattern);
    CHECK(covering_pattern(locations) == pattern);
  }
}

TEST_CASE("two ranks that were bound to the PUs of one core share it, and the NUMA node is known") {
  const commgraph::NodeTopology node =
      commgraph::load_topology("package:1 numa:2 l3:2 core:2 pu:2");
  Profile profile = run_of(3, 3);
  profile.rank_records[0].pus = PuSet::parse("0");
  profile.rank_records[1].pus = PuSet::parse("1");
  profile.rank_records[2].pus = PuSet::parse("8-9");
  const auto sharings = sharings_of(measured_locations(profile, node));
  REQUIRE(sharings);
  CHECK((*sharings)[0] == Sharing{2, 3, 3, 2, 2});
  CHECK((*sharings)[2] == Sharing{1, 3, 3, 1, 1});
}

TEST_CASE("two ranks that were bound to all of one core took turns on it") {
  const commgraph::NodeTopology node = commgraph::load_topology("package:1 die:2 core:2 pu:2");
  Profile profile = run_of(2, 2);
  for (RankRecord& record : profile.rank_records) record.pus = PuSet::parse("0-1");
  const auto sharings = sharings_of(measured_locations(profile, node));
  REQUIRE(sharings);
  CHECK(sharings->front() == Sharing{2, 2, 2, 1, 0});
}

TEST_CASE("ranks that may use all cores of a die have one each") {
  const commgraph::NodeTopology node = commgraph::load_topology("package:1 die:2 core:2 pu:2");
  Profile profile = run_of(2, 2);
  for (RankRecord& record : profile.rank_records) record.pus = PuSet::parse("0-3");
  const auto sharings = sharings_of(measured_locations(profile, node));
  REQUIRE(sharings);
  CHECK(sharings->front() == Sharing{2, 2, 2, 1, 0});
}

TEST_CASE("who shares a NUMA node does not count where one of the two does not know") {
  CHECK(at_most_as_dense({1, 2, 2, 1, 2}, {1, 2, 2, 1, 0}));
  CHECK(at_most_as_dense({1, 2, 2, 1, 0}, {1, 2, 2, 1, 1}));
  CHECK_FALSE(at_most_as_dense({1, 2, 2, 1, 2}, {1, 2, 2, 1, 1}));
  CHECK_FALSE(at_most_as_dense({2, 2, 2, 2}, {2, 2, 2, 1}));
}

}  // namespace

}  // namespace huddle::predict
