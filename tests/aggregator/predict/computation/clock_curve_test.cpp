#include "aggregator/predict/computation/clock_curve.hpp"

#include <doctest/doctest.h>

#include <map>

namespace huddle::predict {
namespace {

// One group that computes on each pattern at these clocks.
ProgramSamples counted(const std::map<Pattern, double>& clocks) {
  ProgramSamples program;
  PhaseGroupSamples group;
  for (const auto& [pattern, clock] : clocks)
    group.samples.push_back({pattern, Seconds{2}, 0, {}, clock});
  program.groups.push_back(group);
  return program;
}

double slowdown(const ClockCurve& curve, const Pattern& pattern) {
  return curve.slowdown(sharing_of(pattern));
}

TEST_CASE("clocks fall with the ranks in a package as cycles over time do") {
  const ClockCurve curve({counted({{{1, 1, 1}, 3e9}, {{1, 1, 3}, 2.5e9}, {{1, 2, 4}, 2e9}})});
  CHECK(slowdown(curve, {1, 1, 1}) == 1);
  CHECK(slowdown(curve, {1, 1, 3}) == doctest::Approx(1.2));
  CHECK(slowdown(curve, {1, 2, 4}) == doctest::Approx(1.5));
  CHECK(slowdown(curve, {2, 2, 4}) == slowdown(curve, {1, 2, 4}));
}

TEST_CASE("between counted numbers of ranks clocks lie on a line, and beyond them they stay") {
  const ClockCurve curve({counted({{{1, 1, 1}, 3e9}, {{1, 1, 3}, 2.5e9}})});
  CHECK(slowdown(curve, {1, 1, 2}) == doctest::Approx(1.1));
  CHECK(slowdown(curve, {1, 2, 4}) == doctest::Approx(1.2));
}

TEST_CASE("one program that is counted strangely among three changes nothing") {
  const ProgramSamples usual = counted({{{1, 1, 1}, 3e9}, {{1, 1, 3}, 2.5e9}});
  const ProgramSamples strange = counted({{{1, 1, 1}, 3e9}, {{1, 1, 3}, 1e9}});
  CHECK(slowdown(ClockCurve({usual, strange, usual}), {1, 1, 3}) == doctest::Approx(1.2));
}

TEST_CASE("programs that never ran with the fewest ranks in a package are compared with nothing") {
  const ProgramSamples usual = counted({{{1, 1, 1}, 3e9}, {{1, 1, 3}, 2.5e9}});
  const ProgramSamples dense = counted({{{1, 1, 2}, 2e9}, {{1, 1, 3}, 2e9}});
  CHECK(slowdown(ClockCurve({usual, dense, dense}), {1, 1, 3}) == doctest::Approx(1.2));
}

TEST_CASE("clocks are steady that nobody counted, or that differ by no more than noise") {
  ProgramSamples times = counted({{{1, 1, 1}, 3e9}, {{1, 1, 3}, 2.5e9}}).times_only();
  CHECK(ClockCurve({times}) == ClockCurve());
  CHECK(slowdown(ClockCurve({counted({{{1, 1, 1}, 3e9}, {{1, 1, 3}, 2.97e9}})}), {1, 1, 3}) == 1);
  CHECK(ClockCurve({counted({{{1, 1, 1}, 3e9}})}) == ClockCurve());
  CHECK(slowdown(ClockCurve(), {2, 2, 2}) == 1);
}

TEST_CASE("it is known whether clocks were counted at all, steady or not") {
  CHECK_FALSE(ClockCurve().is_known());
  CHECK_FALSE(ClockCurve({counted({{{1, 1, 1}, 3e9}})}).is_known());
  CHECK(ClockCurve({counted({{{1, 1, 1}, 3e9}, {{1, 1, 3}, 3e9}})}).is_known());
}

TEST_CASE("an assumed loss of clock counts for each other busy core") {
  const ClockCurve curve = ClockCurve::falling(0.01);
  CHECK(slowdown(curve, {2, 1, 1}) == 1);
  CHECK(slowdown(curve, {1, 2, 3}) == doctest::Approx(1.05));
}

TEST_CASE("more busy cores never have a higher clock") {
  const ClockCurve curve({counted({{{1, 1, 1}, 3e9}, {{1, 1, 2}, 2e9}, {{1, 1, 3}, 2.5e9}})});
  CHECK(slowdown(curve, {1, 1, 3}) == doctest::Approx(1.5));
}

TEST_CASE("of the clock that is set and the one that busy cores allow the lower one counts") {
  const ClockCurve curve({counted({{{1, 1, 1}, 3e9}, {{1, 1, 3}, 2.5e9}})});
  const Sharing busy = sharing_of({1, 1, 3});
  CHECK(curve.slowdown(busy, 1.1) == doctest::Approx(1.2));
  CHECK(curve.slowdown(busy, 2) == doctest::Approx(2));
  CHECK(curve.slowdown(sharing_of({1, 1, 1}), 1.1) == doctest::Approx(1.1));
  CHECK(ClockCurve().slowdown(busy, 0.8) == doctest::Approx(0.8));
}

}  // namespace
}  // namespace huddle::predict
