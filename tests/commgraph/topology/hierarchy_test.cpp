#include "commgraph/topology/hierarchy.hpp"

#include <doctest/doctest.h>

#include "profiles/vocabulary/error.hpp"

namespace huddle::commgraph {
namespace {

TEST_CASE("the distance is that of the innermost common level") {
  const Hierarchy machine = Hierarchy::parse("2:2:2:128", "1:10:100:1000");
  CHECK(machine.levels() == 4);
  CHECK(machine.cores() == 1024);
  CHECK(machine.cores_per_node() == 8);
  CHECK(machine.nodes() == 128);
  CHECK(machine.group_size(1) == 4);
  CHECK(machine.distance(5, 5) == 0);
  CHECK(machine.distance(0, 1) == 1);
  CHECK(machine.distance(1, 2) == 10);
  CHECK(machine.distance(3, 4) == 100);
  CHECK(machine.distance(7, 8) == 1000);
  CHECK(machine.distance(1023, 0) == 1000);
  CHECK(machine.node_of(7) == 0);
  CHECK(machine.node_of(8) == 1);
  CHECK(machine.largest_distance() == 1000);
}

TEST_CASE("levels of one member and a single level are hierarchies") {
  const Hierarchy thin = Hierarchy::parse("1:4:1:3", "1:2:3:4");
  CHECK(thin.cores_per_node() == 4);
  CHECK(thin.distance(0, 3) == 2);
  CHECK(thin.distance(3, 4) == 4);
  const Hierarchy flat = Hierarchy::parse("6", "9");
  CHECK(flat.cores_per_node() == 1);
  CHECK(flat.distance(0, 5) == 9);
}

TEST_CASE("text that is no list of numbers is a usage error that names it") {
  for (const char* text : {"", ":", "2:", ":2", "2::2", "2,2", "2:-2", "2: 2", "2:x", "2.5"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(Hierarchy::parse(text, "1:10"),
                         doctest::Contains(("\"" + std::string(text) + "\"").c_str()), UsageError);
    CHECK_THROWS_WITH_AS(Hierarchy::parse("2:2", text), doctest::Contains("1:10:100:1000"),
                         UsageError);
  }
}

TEST_CASE("unequal lengths and empty levels are usage errors") {
  CHECK_THROWS_WITH_AS(Hierarchy::parse("2:2:2", "1:10"),
                       doctest::Contains("3 levels and there are 2 distances"), UsageError);
  CHECK_THROWS_AS(Hierarchy::parse("2:0", "1:10"), UsageError);
  CHECK_THROWS_AS(Hierarchy({}, {}), UsageError);
}

TEST_CASE("more than 2^32 - 1 cores, and numbers too large to read, are usage errors") {
  CHECK(Hierarchy::parse("65535:65537", "1:2").cores() == 4294967295U);
  CHECK_THROWS_AS(Hierarchy::parse("65536:65536", "1:2"), UsageError);
  CHECK_THROWS_AS(Hierarchy::parse("4294967295:4294967295:4294967295", "1:2:3"), UsageError);
  CHECK_THROWS_WITH_AS(Hierarchy::parse("2:4294967296", "1:2"), doctest::Contains("4294967296"),
                       UsageError);
  CHECK_THROWS_AS(Hierarchy::parse("2", "18446744073709551616"), UsageError);
}

TEST_CASE("a core of a part is the core of the whole at the same place in each group") {
  const Hierarchy whole = Hierarchy::parse("4:2:3", "1:10:100");
  const Hierarchy part = Hierarchy::parse("2:1:3", "1:10:100");
  std::vector<std::uint32_t> cores;
  for (std::uint32_t core = 0; core < part.cores(); ++core)
    cores.push_back(core_in_whole(part, whole, core));
  CHECK(cores == std::vector<std::uint32_t>{0, 1, 8, 9, 16, 17});
}

}  // namespace
}  // namespace huddle::commgraph
