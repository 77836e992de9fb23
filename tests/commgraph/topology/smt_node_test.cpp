#include "commgraph/topology/smt_node.hpp"

#include <doctest/doctest.h>

#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::commgraph {
namespace {

TEST_CASE("a node of PUs has each PU as a place, those of a core one after the other") {
  const NodeTopology node = pus_of_node(load_topology("package:2 die:2 core:3 pu:2"));
  CHECK(node.pus_per_core == 2);
  CHECK(node.cores_per_die == 6);
  REQUIRE(node.cores.size() == 24);
  for (std::uint32_t pu = 0; pu < 24; ++pu) {
    CHECK(node.cores[pu].first_pu == pu);
    CHECK(node.cores[pu].pus.list() == std::to_string(pu));
  }
}

TEST_CASE("a node whose cores have one PU stays as it is") {
  const NodeTopology node = pus_of_node(load_topology("package:2 die:2 core:3 pu:1"));
  CHECK(node.pus_per_core == 1);
  CHECK(node.cores.size() == 12);
}

TEST_CASE("cores with different numbers of PUs are refused") {
  NodeTopology node = load_topology("package:1 core:2 pu:2");
  node.cores[1].pus = PuSet::parse("2");
  CHECK(error_of<UsageError>([&] { pus_of_node(node); }) ==
        "cores have 2 and 1 PUs: only nodes whose cores are alike can be shared out by PUs");
}

}  // namespace
}  // namespace huddle::commgraph
