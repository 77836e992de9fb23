#include "spank_plugin/frequency/claims.hpp"

#include <doctest/doctest.h>

namespace huddle {
namespace {

Claim claim_of(std::uint32_t job, bool whole_job, const LimitsByPu& limits) {
  return {job, 0, whole_job, {}, limits};
}

TEST_CASE("a clock that nobody claims is wanted by nobody") {
  CHECK_FALSE(wanted_limits({}, PuSet::parse("0-3")));
  CHECK_FALSE(wanted_limits({claim_of(1, false, {{7, {1, 2}}})}, PuSet::parse("0-3")));
}

TEST_CASE("a step comes before its own job's script, also if it wants less") {
  const Claim script = claim_of(1, true, {{0, {5, 9}}, {1, {5, 9}}});
  const Claim step = claim_of(1, false, {{0, {2, 3}}});
  CHECK(wanted_limits({script, step}, PuSet::parse("0")) == ClockLimits{2, 3});
  CHECK(wanted_limits({script, step}, PuSet::parse("1")) == ClockLimits{5, 9});
}

TEST_CASE("among jobs, and among steps of one job, the highest holds") {
  const Claim one = claim_of(1, false, {{0, {2, 7}}});
  const Claim other = claim_of(1, false, {{0, {3, 5}}});
  const Claim another_job = claim_of(2, true, {{0, {1, 8}}});
  CHECK(wanted_limits({one, other}, PuSet::parse("0")) == ClockLimits{3, 7});
  CHECK(wanted_limits({one, other, another_job}, PuSet::parse("0")) == ClockLimits{3, 8});
}

TEST_CASE("where PUs share a clock, the highest of them holds") {
  const Claim claim = claim_of(1, false, {{0, {2, 3}}, {1, {4, 6}}});
  CHECK(wanted_limits({claim}, PuSet::parse("0-3")) == ClockLimits{4, 6});
}

}  // namespace
}  // namespace huddle
