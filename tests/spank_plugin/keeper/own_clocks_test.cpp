#include "profiles/keeper/protocol/own_clocks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "tests/spank_plugin/keeper/kept_node.hpp"

namespace huddle::keeper {

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
  const Hertz slow{1'000'001e3};  // what the node's scaling_cur_freq has
  REQUIRE(happens([&] { return clocks.achieved(0, 1) == slow; }));
  const auto now_ns = [] {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
  };
  constexpr std::uint64_t kSecond = 1'000'000'000;
  store::put_file(node.file(1, "scaling_cur_freq"), "2000001\n");
  const std::uint64_t before = now_ns();
  clocks.ask({1.8e9}, {0});
  // Long afterwards only the new clock counts, as soon as the keeper has read it.
  const Hertz fast{2'000'001e3};
  REQUIRE(happens(
      [&] { return clocks.achieved(before + 3600 * kSecond, before + 3601 * kSecond) == fast; }));
  const double moment = static_cast<double>(now_ns() - before) / static_cast<double>(kSecond);
  const double mean = clocks.achieved(before - 50 * kSecond, before + 50 * kSecond).value;
  CHECK(mean <= 1'500'001e3 + 1);
  CHECK(mean >= 1'500'001e3 - 1e9 * moment / 100 - 1);
}

}  // namespace huddle::keeper
