#include "profiles/formats/plan/node_places.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "profiles/formats/plan/plan.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

using RanksAndPus = std::vector<std::pair<std::uint32_t, std::string>>;

std::string plan_of_two_nodes() {
  Plan plan;
  plan.ranks = 4;
  plan.node_pus = 8;
  plan.chosen.pattern = "1:1:2";
  plan.chosen.nodes = 2;
  plan.reference = plan.chosen;
  for (const std::uint32_t rank : {0U, 1U, 2U, 3U})
    plan.placement.push_back(
        {NodeIndex{rank == 1 ? 0U : 1U},
         PuSet::parse(std::to_string(2 * rank) + "-" + std::to_string(2 * rank + 1))});
  plan.placement[3].node = {0};
  return to_json(plan);
}

TEST_CASE("a node's places are those of the ranks that share it") {
  const std::string plan = plan_of_two_nodes();
  CHECK(parse_node_places(plan, "p", 2).pus == RanksAndPus{{0, "0-1"}, {2, "4-5"}});
  CHECK(parse_node_places(plan, "p", 3).pus == RanksAndPus{{1, "2-3"}, {3, "6-7"}});
  CHECK(parse_node_places(plan, "p", 3).ranks == 4);
}

TEST_CASE("a rank that a plan does not have shares no node") {
  const NodePlaces places = parse_node_places(plan_of_two_nodes(), "p", 4);
  CHECK(places.ranks == 4);
  CHECK(places.pus.empty());
}

TEST_CASE("a node's places can be handed on as text") {
  const NodePlaces places{4, {{1, "2-3"}, {3, "6,9"}}};
  CHECK(text_of(places) == "4\n1 2-3\n3 6,9\n");
  const NodePlaces read = node_places_of(text_of(places));
  CHECK(read.ranks == places.ranks);
  CHECK(read.pus == places.pus);
  for (const char* broken : {"", "4", "x\n", "4\n1", "4\n1\n", "4\n-1 2\n", "4\n99999999999 2\n"})
    CHECK_THROWS_AS(node_places_of(broken), Error);
}

TEST_CASE("a plan whose columns of places differ is refused") {
  std::string plan = plan_of_two_nodes();
  const std::size_t last = plan.rfind("\"6-7\"");
  plan.replace(plan.rfind(',', last), last + 5 - plan.rfind(',', last), "");
  CHECK_THROWS_AS(parse_node_places(plan, "p", 0), FormatError);
}

}  // namespace
}  // namespace huddle
