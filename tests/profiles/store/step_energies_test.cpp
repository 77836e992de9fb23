#include "profiles/store/step_energies.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::store {
namespace {

const UtcTime kStart = *parse_utc("2026-11-27T10:00:00Z");
constexpr Seconds kElapsed{60};

// Step 17.0 on `node`, which ended with its launcher.
NodeStepEnergy energy_on(const std::string& node) {
  return {17, 0, node, kStart + std::chrono::seconds(60), kElapsed, Joules{1000}, Joules{20}};
}

std::optional<StepEnergy> found_in(const TemporaryDirectory& folder, std::uint32_t nodes) {
  return StepEnergies(folder.path()).of(17, 0, nodes, kStart, kElapsed);
}

TEST_CASE("the energy of a step is the sum over its nodes, and of its own job and step only") {
  const TemporaryDirectory folder;
  store_step_energy(folder.path(), energy_on("n-1.site"));
  store_step_energy(folder.path(), energy_on("n2"));
  NodeStepEnergy other = energy_on("n2");
  other.step = 1;
  store_step_energy(folder.path(), other);
  other = energy_on("n2");
  other.job = 170;
  store_step_energy(folder.path(), other);
  const auto found = found_in(folder, 2);
  REQUIRE(found);
  CHECK(found->measured == Joules{2000});
  CHECK(found->attributed == Joules{40});
  CHECK(found->energy() == Joules{2040});
}

TEST_CASE(
    "a step has no energy as long as one of its nodes has none, or if there is one too many") {
  const TemporaryDirectory folder;
  CHECK_FALSE(found_in(folder, 1));
  store_step_energy(folder.path(), energy_on("n1"));
  CHECK_FALSE(found_in(folder, 2));
  store_step_energy(folder.path(), energy_on("n2"));
  CHECK(found_in(folder, 2));
  CHECK_FALSE(found_in(folder, 1));
}

TEST_CASE("a requeued job's other runs, and figures of longer times, are not the step's") {
  const TemporaryDirectory folder;
  NodeStepEnergy other = energy_on("n1");
  SUBCASE("an earlier run") {
    other.end = kStart - std::chrono::minutes(10);
  }
  SUBCASE("a later run") {
    other.end = kStart + std::chrono::minutes(30);
  }
  SUBCASE("a longer time") {
    other.known = Seconds{80};
    other.end = kStart + std::chrono::seconds(80);
  }
  store_step_energy(folder.path(), other);
  CHECK_FALSE(found_in(folder, 1));
  store_step_energy(folder.path(), energy_on("n1"));
  CHECK(found_in(folder, 1)->measured == Joules{1000});
}

TEST_CASE("two figures of one node that may both be the step's are none") {
  const TemporaryDirectory folder;
  store_step_energy(folder.path(), energy_on("n1"));
  NodeStepEnergy other = energy_on("n1");
  other.end += std::chrono::seconds(30);
  store_step_energy(folder.path(), other);
  CHECK_FALSE(found_in(folder, 1));
}

TEST_CASE("files of energies that are broken, and elapsed times beyond all numbers, are as none") {
  const TemporaryDirectory folder;
  const std::string file = (folder.path() / "energy-17.0-n1-2026-11-27T10:01:00.000Z").string();
  for (const char* text :
       {"", "17.0 n1 2026-11-27T10:01:00.000Z 60 1000", "17.0 n1 now 60 1000 20\n",
        "17.0 n1 2026-11-27T10:01:00.000Z 60 nan 20\n",
        "17.0 n1 2026-11-27T10:01:00.000Z 60 -1 20\n",
        "17.0 n1 2026-11-27T10:01:00.000Z 60 1e300 20\n",
        "17.0 n1 2026-11-27T10:01:00.000Z inf 1000 20\n",
        "17.0  2026-11-27T10:01:00.000Z 60 1000 20\n",
        "18.0 n1 2026-11-27T10:01:00.000Z 60 1000 20\n",
        "17.0 n1 2026-11-27T10:01:00.000Z 60 1000 20 more\n"}) {
    CAPTURE(text);
    put_file(file, text);
    CHECK_FALSE(found_in(folder, 1));
  }
  put_file(file, "17.0 n1 2026-11-27T10:01:00.000Z 60 1000 20\n");
  CHECK(found_in(folder, 1));
  CHECK_FALSE(StepEnergies(folder.path()).of(17, 0, 1, kStart, Seconds{1e300}));
}

}  // namespace
}  // namespace huddle::store
