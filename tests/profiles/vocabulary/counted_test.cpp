#include "profiles/vocabulary/counted.hpp"

#include <doctest/doctest.h>

namespace huddle {
namespace {

TEST_CASE("one has no s, and none is a plural") {
  CHECK(counted(0, "rank") == "0 ranks");
  CHECK(counted(1, "rank") == "1 rank");
  CHECK(counted(12, "rank") == "12 ranks");
  CHECK(counted(1, "process has", "processes have") == "1 process has");
  CHECK(counted(0, "process has", "processes have") == "0 processes have");
}

}  // namespace
}  // namespace huddle
