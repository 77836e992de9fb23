#include "profiles/keeper/protocol/own_clocks.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/spank_plugin/keeper/kept_node.hpp"

namespace huddle {

TEST_CASE(
    "clocks of several PUs are asked for as one, and their steps are all that the envelope has") {
  NodeOfFiles node(3, 1, {1'000'000, 1'200'000, 1'800'000, 2'400'000, 2'600'000});
  KeptNode kept(node);
  OwnClocks clocks(kept.socket(), PuSet::parse("0-1"), std::chrono::seconds(5));
  std::vector<Hertz> steps = clocks.steps();
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  CHECK(steps == std::vector<Hertz>{{1.2e9}, {1.8e9}, {2.4e9}});
  clocks.ask({1.8e9}, {0});
  CHECK(happens([&] { return node.most(0) == 1'800'000 && node.most(1) == 1'800'000; }));
  CHECK(node.most(2) == kTopKhz);
  CHECK(clocks.alive());
}

TEST_CASE("where a driver takes any frequency there are steps from the least to the most") {
  NodeOfFiles node;
  KeptNode kept(node);
  const OwnClocks clocks(kept.socket(), PuSet::parse("1"), std::chrono::seconds(5));
  std::vector<Hertz> steps = clocks.steps();
  std::sort(steps.begin(), steps.end());
  CHECK(steps.size() == 17);
  CHECK(steps.front() == Hertz{1.2e9});
  CHECK(steps.back() == Hertz{2.4e9});
}

TEST_CASE("a clock that changed meanwhile counts for as long as it was there") {
  NodeOfFiles node;
  KeptNode kept(node);
  OwnClocks clocks(kept.socket(), PuSet::parse("1"), std::chrono::seconds(5));
  // The node's scaling_cur_freq, as it stands there.
  CHECK(happens([&] { return clocks.achieved(0, 1).value > 0; }));
  const double known = clocks.achieved(0, 1).value;
  CHECK(clocks.achieved(1, 2).value == doctest::Approx(known));
}

}  // namespace huddle
