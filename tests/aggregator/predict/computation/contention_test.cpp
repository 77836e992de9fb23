#include "aggregator/predict/computation/contention.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace huddle::predict {
namespace {

constexpr ContentionShape kMechanisms[] = {ContentionShape::kRoofline, ContentionShape::kSerial,
                                           ContentionShape::kOverlap, ContentionShape::kQueueing};

// One rank takes a quarter of a package and an eighth of a node; misses grow as log of the ranks.
MachineParameters quarter_machine() {
  return {std::log(0.25), std::log(0.125), 0, std::log(1.0), 0, -18, -12};
}

// A memory time of `memory`, next to no sensitivity to the cache, all the bandwidth it can get.
DemandParameters streaming(double memory) {
  return {std::log(memory), -12, 12};
}

TEST_CASE("ranks share a die, a package and a node as the pattern says") {
  const Sharing sharing = sharing_of({2, 3, 4});
  CHECK(sharing.die == 4);
  CHECK(sharing.package == 12);
  CHECK(sharing.node == 24);
}

TEST_CASE("a full package slows a stream down by as much as it is overcommitted, by hand") {
  const MachineParameters machine = quarter_machine();
  const Sharing alone = sharing_of({1, 1, 1});
  const Sharing eight = sharing_of({1, 2, 4});
  const auto time = [&](ContentionShape shape, double memory, const Sharing& sharing) {
    return slower_time(shape, machine, streaming(memory), sharing);
  };
  CHECK(time(ContentionShape::kRoofline, 0.75, alone) == doctest::Approx(1).epsilon(0.001));
  CHECK(time(ContentionShape::kRoofline, 0.75, eight) == doctest::Approx(1.5).epsilon(0.001));
  CHECK(time(ContentionShape::kSerial, 0.75, alone) == doctest::Approx(1.75).epsilon(0.001));
  CHECK(time(ContentionShape::kSerial, 0.75, eight) == doctest::Approx(2.5).epsilon(0.001));
  // log p - 1 = 0: the 2-norm.
  CHECK(time(ContentionShape::kOverlap, 0.75, alone) == doctest::Approx(1.25).epsilon(0.001));
}

// A rank takes half of its die's path, and next to nothing of what the package has.
TEST_CASE("ranks of a die share its own path to memory, by hand") {
  const MachineParameters machine = {-9, -9, 0, 0, 0, -18, std::log(0.5)};
  const auto time = [&](const Pattern& pattern) {
    return slower_time(ContentionShape::kSerial, machine, streaming(2), sharing_of(pattern));
  };
  CHECK(time({1, 1, 2}) == doctest::Approx(3).epsilon(0.001));
  CHECK(time({1, 1, 4}) == doctest::Approx(5).epsilon(0.001));
  CHECK(time({2, 4, 1}) == doctest::Approx(3).epsilon(0.001));
}

TEST_CASE("ranks of a NUMA node share its part of the memory, by hand") {
  MachineParameters machine = usual_machine();
  machine[static_cast<std::size_t>(MachineParameter::kNumaShare)] = std::log(0.5);
  // Memory time as long as computing time, all of it bandwidth, no cache.
  const DemandParameters demand = {0, -30, 30};
  const auto time = [&](const Sharing& sharing) {
    return slower_time(ContentionShape::kSerial, machine, demand, sharing);
  };
  CHECK(time({1, 2, 2, 1, 2}) == doctest::Approx(2));
  CHECK(time({1, 4, 4, 1, 2}) == time({1, 4, 4}));
  CHECK(time({1, 4, 4, 1, 4}) == doctest::Approx(3));
}

TEST_CASE("a second rank on a core slows down what cores do, not the waiting for memory") {
  MachineParameters machine = usual_machine();
  machine[static_cast<std::size_t>(MachineParameter::kThreadCost)] = std::log(0.6);
  const DemandParameters demand = {0, -30, -30};  // half of the time waits for latency
  const auto time = [&](ContentionShape shape, const Sharing& sharing) {
    return slower_time(shape, machine, demand, sharing);
  };
  CHECK(time(ContentionShape::kSerial, {2, 2, 2, 2}) == doctest::Approx(1.6 + 1));
  CHECK(time(ContentionShape::kSerial, {2, 2, 2, 1}) == doctest::Approx(2));
  CHECK(time(ContentionShape::kRoofline, {2, 2, 2, 2}) == doctest::Approx(1.6));
}

TEST_CASE("a queue's time solves its own equation") {
  const MachineParameters machine = quarter_machine();
  for (const double memory : {0.01, 0.5, 3.0, 30.0})
    for (const Pattern& pattern : {Pattern{1, 1, 1}, Pattern{2, 2, 2}, Pattern{1, 8, 8}}) {
      const Sharing sharing = sharing_of(pattern);
      const double time =
          slower_time(ContentionShape::kQueueing, machine, streaming(memory), sharing);
      const double package = 0.25 * sharing.package * memory / time;
      const double node = 0.125 * sharing.node * memory / time;
      CAPTURE(memory);
      CHECK(package < 1);
      CHECK(node < 1);
      CHECK(time == doctest::Approx(1 + memory * (1 + package / (1 - package) + node / (1 - node)))
                        .epsilon(0.001));
    }
}

TEST_CASE("more company never makes a rank faster") {
  const MachineParameters machine = usual_machine();
  for (const ContentionShape shape : kMechanisms)
    for (const double intensity : {-3.0, 0.0, 2.0})
      for (const double cache : {-3.0, 1.0})
        for (const double rate : {-2.0, 3.0}) {
          const DemandParameters demand = {intensity, cache, rate};
          const auto time = [&](const Pattern& pattern) {
            return slower_time(shape, machine, demand, sharing_of(pattern));
          };
          for (std::uint32_t n = 1; n < 9; ++n) {
            CHECK(time({1, 1, n + 1}) >= time({1, 1, n}) * (1 - 1e-9));
            CHECK(time({1, n + 1, 2}) >= time({1, n, 2}) * (1 - 1e-9));
            CHECK(time({n + 1, 2, 2}) >= time({n, 2, 2}) * (1 - 1e-9));
          }
        }
}

TEST_CASE("a program that asks nothing of memory is slowed down by nothing") {
  for (const ContentionShape shape : kMechanisms)
    CHECK(slower_time(shape, usual_machine(), {-12, 2, 2}, sharing_of({2, 8, 8})) ==
          doctest::Approx(1).epsilon(0.01));
}

TEST_CASE("misses grow along a curve that its exponent bends") {
  MachineParameters machine = usual_machine();
  const DemandParameters demand = {0, std::log(std::exp(1.0) - 1), 0};  // sensitivity 1
  const auto growth = [&](double exponent, double ranks) {
    machine[static_cast<std::size_t>(MachineParameter::kCacheCurve)] = exponent;
    return cache_growth(machine, demand, ranks);
  };
  CHECK(growth(0, 1) == doctest::Approx(1));
  CHECK(growth(0, 4) == doctest::Approx(1 + std::log(4.0)));
  CHECK(growth(1, 4) == doctest::Approx(1.75));
  CHECK(growth(-1, 4) == doctest::Approx(4));
}

TEST_CASE("powers multiply over cores, dies and packages") {
  CHECK(slower_time(ContentionShape::kPower, usual_machine(), {1, 2, 0.5}, sharing_of({4, 3, 2})) ==
        doctest::Approx(2 * 9 * 2));
}

double modelled_stretch(ContentionShape shape, double memory, const Sharing& sharing,
                        double slowdown) {
  const MachineParameters machine = quarter_machine();
  return slower_time(shape, machine, streaming(memory), sharing, slowdown) /
         slower_time(shape, machine, streaming(memory), sharing);
}

TEST_CASE("a lower frequency stretches what cores do, not the waiting for memory") {
  const Sharing alone = sharing_of({1, 1, 1});
  const Sharing eight = sharing_of({1, 2, 4});
  const auto stretch = [&](ContentionShape shape, double memory, const Sharing& sharing) {
    return modelled_stretch(shape, memory, sharing, 2);
  };
  for (const ContentionShape shape : kMechanisms) {
    CHECK(stretch(shape, 1e-4, alone) == doctest::Approx(2).epsilon(0.001));
    CHECK(stretch(shape, 1e4, eight) == doctest::Approx(1).epsilon(0.001));
  }
  // Roofline: 1 and 1.5 of a package; at half the frequency computing takes 2 and is the longer.
  CHECK(stretch(ContentionShape::kRoofline, 0.75, eight) ==
        doctest::Approx(2 / 1.5).epsilon(0.001));
  CHECK(stretch(ContentionShape::kSerial, 0.75, eight) ==
        doctest::Approx(3.5 / 2.5).epsilon(0.001));
  CHECK(stretch(ContentionShape::kPower, 0.75, eight) == 2);
}

TEST_CASE("a rank whose frequency falls is stretched no more the more ranks crowd the memory") {
  for (const ContentionShape shape : kMechanisms) {
    const auto stretch = [&](const Pattern& pattern) {
      return modelled_stretch(shape, 0.75, sharing_of(pattern), 1.5);
    };
    CHECK(stretch({2, 2, 4}) <= stretch({1, 2, 4}) + 1e-9);
    CHECK(stretch({1, 2, 4}) <= stretch({1, 1, 1}) + 1e-9);
    CHECK(stretch({1, 1, 1}) <= 1.5);
  }
}

}  // namespace
}  // namespace huddle::predict
