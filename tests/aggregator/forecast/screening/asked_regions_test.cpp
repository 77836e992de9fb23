#include <doctest/doctest.h>

#include "aggregator/forecast/screening/detail/checks.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

std::string refusal(const std::vector<std::string>& regions, const std::string& asked) {
  return error_of<UsageError>([&] { static_cast<void>(asked_regions(regions, {asked})); });
}

TEST_CASE("regions are asked for by their exact names") {
  CHECK(asked_regions({"a", "b", "c"}, {"c", "a"}) == std::vector<bool>{true, false, true});
  CHECK(asked_regions({"a", "b"}, {}) == std::vector<bool>{false, false});
  CHECK(refusal({"Solve", "smooth"}, "solve") ==
        "region solve: no row is of this region; there are: \"Solve\", \"smooth\"");
}

TEST_CASE("of many regions the error names those that are nearest to the asked name") {
  std::vector<std::string> regions;
  for (int i = 0; i < 20; ++i) regions.push_back("unrelated kernel " + std::to_string(i));
  regions.emplace_back("main/MULTIGRID/smooth");
  regions.emplace_back("multigrit");
  const std::string text = refusal(regions, "multigrid");
  CHECK(text.find("of 22 regions the nearest by name are") != std::string::npos);
  // One that holds the asked name is nearer than one that differs by a letter.
  CHECK(text.find("\"main/MULTIGRID/smooth\", \"multigrit\"") != std::string::npos);
}

TEST_CASE("rows without regions have none that could be asked for") {
  for (const std::vector<std::string>& regions : {std::vector<std::string>{}, {""}})
    CHECK(refusal(regions, "solve").starts_with("region solve: the rows have no regions"));
}

}  // namespace
}  // namespace huddle
