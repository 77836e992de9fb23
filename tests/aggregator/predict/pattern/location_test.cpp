#include "aggregator/predict/pattern/location.hpp"

#include <doctest/doctest.h>

#include "tests/aggregator/sample_runs.hpp"

namespace huddle {
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
}  // namespace huddle
