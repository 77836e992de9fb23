#include <doctest/doctest.h>

#include "aggregator/predict/energy/unused_energy.hpp"

namespace huddle::predict {
namespace {

const PowerFigures kUnusedPower{{100}, {3}, {30}, {8}, {5}, Origin::kGiven};

std::vector<FateShare> all_nodes(NodeFate fate, Seconds sleeps_after = {}) {
  return {{{fate, sleeps_after}, 1}};
}

TEST_CASE("nodes that other jobs get draw nothing on this job's account") {
  CHECK(energy_of_unused(kUnusedPower, all_nodes(NodeFate::kUsed), 3, {10}).value == 0);
  CHECK(!machine_energy({500}, kUnusedPower, all_nodes(NodeFate::kUsed), 3, {10}));
}

TEST_CASE("nodes that idle draw what an idle node does") {
  CHECK(energy_of_unused(kUnusedPower, all_nodes(NodeFate::kIdles), 3, {10}).value ==
        doctest::Approx(3000));
  CHECK(machine_energy({500}, kUnusedPower, all_nodes(NodeFate::kIdles), 3, {10})->value ==
        doctest::Approx(3500));
}

TEST_CASE("nodes that sleep are idle until they do") {
  CHECK(energy_of_unused(kUnusedPower, all_nodes(NodeFate::kSleeps), 2, {10}).value ==
        doctest::Approx(60));
  CHECK(energy_of_unused(kUnusedPower, all_nodes(NodeFate::kSleeps, {4}), 2, {10}).value ==
        doctest::Approx(2 * (400 + 18)));
  CHECK(energy_of_unused(kUnusedPower, all_nodes(NodeFate::kSleeps, {20}), 2, {10}).value ==
        doctest::Approx(2000));
}

TEST_CASE("where nodes differ, an unused one is any of them") {
  const std::vector<FateShare> fates = {{{NodeFate::kSleeps, {}}, 0.75},
                                        {{NodeFate::kUsed, {}}, 0.25}};
  CHECK(energy_of_unused(kUnusedPower, fates, 4, {10}).value == doctest::Approx(3 * 30));
  CHECK(machine_energy({1}, kUnusedPower, fates, 4, {10})->value == doctest::Approx(91));
}

TEST_CASE("no fewer nodes leave none unused") {
  CHECK(nodes_left(4, 1) == 3);
  CHECK(nodes_left(4, 4) == 0);
  CHECK(nodes_left(4, 6) == 0);
}

}  // namespace
}  // namespace huddle::predict
