#include "profiles/vocabulary/pluralize.hpp"

#include <doctest/doctest.h>

namespace huddle {
namespace {

TEST_CASE("one has no s, and none is a plural") {
  CHECK(pluralize(0, "rank") == "0 ranks");
  CHECK(pluralize(1, "rank") == "1 rank");
  CHECK(pluralize(12, "rank") == "12 ranks");
  CHECK(pluralize(1, "process has", "processes have") == "1 process has");
  CHECK(pluralize(0, "process has", "processes have") == "0 processes have");
}

}  // namespace
}  // namespace huddle
