#include "spank_plugin/runtime/balance/cycle_finder.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace huddle::runtime {
namespace {

/// Passes the keys again and again; returns how many cycles ended.
int pass(CycleFinder& finder, const std::vector<std::uint64_t>& keys, int times) {
  int cycles = 0;
  for (int i = 0; i < times; ++i)
    for (const std::uint64_t key : keys)
      if (finder.pass(key)) ++cycles;
  return cycles;
}

}  // namespace

TEST_CASE("a cycle is found after it came three times, and ends once each time from then on") {
  CycleFinder finder;
  CHECK(pass(finder, {7, 8, 9, 8}, 2) == 0);
  CHECK(finder.length() == 0);
  pass(finder, {7, 8, 9, 8}, 1);
  CHECK(finder.length() == 4);
  CHECK(pass(finder, {7, 8, 9, 8}, 100) == 100);
}

TEST_CASE("an inner loop of the same length is no cycle, but the loop around it is") {
  CycleFinder finder;
  const std::vector<std::uint64_t> step = {1, 2, 2, 2, 2, 2, 2, 2, 2, 3};
  pass(finder, step, 10);
  CHECK(finder.length() == step.size());
  CHECK(pass(finder, step, 50) == 50);
}

TEST_CASE("a program that comes to another part gets the cycle of that part") {
  CycleFinder finder;
  pass(finder, {1, 2, 3, 4, 5, 6}, 10);
  CHECK(finder.length() == 6);
  pass(finder, {1, 9}, 3000);
  CHECK(finder.length() % 2 == 0);
  CHECK(finder.length() > 0);
}

TEST_CASE("where nothing repeats there is no cycle") {
  CycleFinder finder;
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) CHECK_FALSE(finder.pass(random()));
  CHECK(finder.length() == 0);
}

TEST_CASE("cycles up to the longest are found, and longer ones are not") {
  std::vector<std::uint64_t> keys;
  for (std::uint64_t key = 0; key < CycleFinder::kLongest; ++key) keys.push_back(key);
  CycleFinder finder;
  pass(finder, keys, 4);
  CHECK(finder.length() == CycleFinder::kLongest);
  keys.push_back(keys.size());
  CycleFinder other;
  CHECK(pass(other, keys, 20) == 0);
}

}  // namespace huddle::runtime
