#include "profiles/vocabulary/spelling.hpp"

#include <doctest/doctest.h>

#include <string>

namespace huddle {
namespace {

const std::vector<std::string_view> kKeys = {"slowdown", "nodes", "mode", "limits.modes", "plan"};

TEST_CASE("a word with a slip is near the one that was meant") {
  CHECK(nearest_word("slowdwon", kKeys) == "slowdown");
  CHECK(nearest_word("slodown", kKeys) == "slowdown");
  CHECK(nearest_word("slowdownn", kKeys) == "slowdown");
  CHECK(nearest_word("mdoe", kKeys) == "mode");
  CHECK(nearest_word("node", kKeys) == "nodes");
  CHECK(nearest_word("limits.mode", kKeys) == "limits.modes");
}

TEST_CASE("a word that is something else is near nothing") {
  for (const char* word : {"", "x", "pl", "speed", "limit", "slow"})
    CHECK(nearest_word(word, kKeys).empty());
  CHECK(nearest_word(std::string(100, 'm'), kKeys).empty());
  CHECK(nearest_word("plan", {}).empty());
}

}  // namespace
}  // namespace huddle
