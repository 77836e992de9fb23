#include "profiles/balancing/work_distribution.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "profiles/vocabulary/error.hpp"

namespace huddle::balancing {
namespace {

struct DrawnWork {
  explicit DrawnWork(std::mt19937_64& random, bool linked = false) {
    std::uniform_real_distribution<double> seconds(0.005, 0.8);
    processors = static_cast<std::uint32_t>(2 + random() % 12);
    const auto count = processors * (1 + random() % 9);
    for (std::uint64_t i = 0; i < count; ++i)
      objects.push_back({{seconds(random)}, static_cast<std::uint32_t>(i * processors / count)});
    for (std::uint32_t i = 1; linked && i < count; ++i) links.push_back({i - 1, i, {0.05}});
  }

  [[nodiscard]] double longest(const WorkPlacement& placement) const {
    const std::vector<Seconds> loads = loads_of(objects, links, placement, processors);
    return std::max_element(loads.begin(), loads.end())->value;
  }
  [[nodiscard]] WorkPlacement present() const {
    WorkPlacement placement;
    for (const WorkObject& object : objects) placement.push_back(object.processor);
    return placement;
  }
  [[nodiscard]] double bound() const {
    double sum = 0;
    double most = 0;
    for (const WorkObject& object : objects) {
      sum += object.time.value;
      most = std::max(most, object.time.value);
    }
    return std::max(most, sum / processors);
  }

  std::uint32_t processors;
  std::vector<WorkObject> objects;
  std::vector<WorkLink> links;
};

}  // namespace

TEST_CASE("greedy is never longer than Graham's bound of 4/3 - 1/(3 P) times the best") {
  std::mt19937_64 random(31);
  for (int round = 0; round < 2000; ++round) {
    const DrawnWork work(random);
    // The best is at least this, but the sum of the P-th and P+1-th longest, too.
    std::vector<double> times;
    for (const WorkObject& object : work.objects) times.push_back(object.time.value);
    std::sort(times.rbegin(), times.rend());
    double best = work.bound();
    if (times.size() > work.processors)
      best = std::max(best, times[work.processors - 1] + times[work.processors]);
    const double longest = work.longest(greedy_placement(work.objects, work.processors));
    // Graham's bound is of the optimum, which may be above `best`: list scheduling's holds of that.
    CHECK(longest <= best * (2 - 1.0 / work.processors) + 1e-9);
  }
}

TEST_CASE("refinement moves less than greedy does, and never makes the longest longer") {
  std::mt19937_64 random(32);
  std::uint64_t refined_moves = 0;
  std::uint64_t greedy_moves = 0;
  for (const bool linked : {false, true})
    for (int round = 0; round < 500; ++round) {
      const DrawnWork work(random, linked);
      const WorkPlacement refined =
          refined_placement(work.objects, work.processors, 1.03, work.links);
      CHECK(work.longest(refined) <= work.longest(work.present()) * (1 + 1e-9));
      refined_moves += moved_objects(work.objects, refined);
      greedy_moves +=
          moved_objects(work.objects, greedy_placement(work.objects, work.processors, work.links));
    }
  CHECK(refined_moves < greedy_moves / 2);
}

TEST_CASE("many small pieces end up within the tolerance, greedily and refined") {
  std::mt19937_64 random(33);
  std::uniform_real_distribution<double> seconds(0.01, 0.02);
  std::vector<WorkObject> objects;
  for (std::uint32_t i = 0; i < 400; ++i)
    objects.push_back({{seconds(random)}, i < 300 ? 0U : 1U + i % 7});
  for (const WorkPlacement& placement :
       {greedy_placement(objects, 8), refined_placement(objects, 8, 1.03)}) {
    const std::vector<Seconds> loads = loads_of(objects, {}, placement, 8);
    const double sum = std::accumulate(loads.begin(), loads.end(), 0.0,
                                       [](double a, Seconds b) { return a + b.value; });
    for (const Seconds load : loads) CHECK(load.value <= 1.031 * sum / 8);
  }
}

TEST_CASE("with links greedy keeps together what talks, where that is shorter") {
  // Two pairs that talk a lot: apart, each of the four pays 1.2 s.
  const std::vector<WorkObject> objects = {{{1.0}, 0}, {{1.0}, 1}, {{0.9}, 0}, {{0.9}, 1}};
  const std::vector<WorkLink> links = {{0, 1, {1.2}}, {2, 3, {1.2}}};
  const WorkPlacement placement = greedy_placement(objects, 2, links);
  CHECK(placement[0] == placement[1]);
  CHECK(placement[2] == placement[3]);
  CHECK(placement[0] != placement[2]);
}

TEST_CASE("communication counts at both ends, and only between processors") {
  const std::vector<WorkObject> objects = {{{1.0}, 0}, {{2.0}, 1}, {{4.0}, 1}};
  const std::vector<WorkLink> links = {{0, 1, {0.5}}, {1, 2, {8}}};
  const std::vector<Seconds> loads = loads_of(objects, links, {0, 1, 1}, 2);
  CHECK(loads[0].value == doctest::Approx(1.5));
  CHECK(loads[1].value == doctest::Approx(6.5));
}

TEST_CASE("an object on no processor, and a link to no object, are refused") {
  const std::vector<WorkObject> objects = {{{1.0}, 2}};
  CHECK_THROWS_AS(greedy_placement(objects, 2), Error);
  CHECK_THROWS_AS(greedy_placement({}, 0), Error);
  CHECK_THROWS_AS(refined_placement(std::vector<WorkObject>{{{1.0}, 0}}, 2, 1.03,
                                    std::vector<WorkLink>{{0, 1, {1}}}),
                  Error);
  CHECK_THROWS_AS(loads_of(objects, {}, {2}, 2), Error);
}

TEST_CASE("objects that can't be moved stay, and processors that are not available get none") {
  std::mt19937_64 random(37);
  std::uniform_real_distribution<double> share(0, 1);
  for (int round = 0; round < 2000; ++round) {
    DrawnWork work(random, round % 2 == 0);
    std::vector<WorkProcessor> processors;
    for (std::uint32_t i = 0; i < work.processors; ++i)
      processors.push_back({{share(random)},
                            round % 3 == 0 ? 0.5 + share(random) : 1,
                            i == 0 || share(random) < 0.8});
    for (WorkObject& object : work.objects) object.movable = share(random) < 0.7;
    const WorkPlacement greedy = greedy_placement(work.objects, processors, work.links);
    const WorkPlacement refined = refined_placement(work.objects, processors, 1, work.links);
    for (const WorkPlacement& placement : {greedy, refined})
      for (std::size_t i = 0; i < work.objects.size(); ++i)
        if (work.objects[i].movable)
          REQUIRE(processors.at(placement[i]).available);
        else
          REQUIRE(placement[i] == work.objects[i].processor);
    // Both are good: neither is much longer than the other, where no single object decides.
    const auto longest = [&](const WorkPlacement& placement) {
      const auto loads = loads_of(work.objects, work.links, placement, processors);
      return std::max_element(loads.begin(), loads.end())->value;
    };
    REQUIRE(longest(refined) < 2 * longest(greedy));
    REQUIRE(longest(greedy) < 2 * longest(refined));
  }
}

TEST_CASE("what a processor does besides, and its speed, count") {
  const std::vector<WorkProcessor> processors = {{{0}, 1}, {{0}, 2}, {{2}, 1}};
  std::vector<WorkObject> objects(6, WorkObject{{1}, 2});
  for (const WorkPlacement& placement :
       {greedy_placement(objects, processors), refined_placement(objects, processors, 1)}) {
    const std::vector<Seconds> loads = loads_of(objects, {}, placement, processors);
    CHECK(std::max_element(loads.begin(), loads.end())->value == doctest::Approx(2));
    CHECK(loads[1].value == doctest::Approx(2));
  }
  CHECK_THROWS_AS(greedy_placement(objects, std::vector<WorkProcessor>{{{0}, 1, false}}), Error);
  CHECK_THROWS_AS(greedy_placement(objects, std::vector<WorkProcessor>{{}, {}, {{0}, 0}}), Error);
}

}  // namespace huddle::balancing
