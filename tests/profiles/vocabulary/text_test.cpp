#include "profiles/vocabulary/text.hpp"

#include <doctest/doctest.h>

using namespace huddle;

TEST_CASE("blanks and line ends around a text go, those within it stay") {
  CHECK(trimmed(" \ta b\r\n") == "a b");
  CHECK(trimmed("a") == "a");
  CHECK(trimmed(" \t ").empty());
  CHECK(trimmed("").empty());
  CHECK(trimmed("--a-", "-") == "a");
}

TEST_CASE("letters of ASCII become small ones, all others stay") {
  CHECK(in_lower_case("GHz 2_\u00c4") == "ghz 2_\u00c4");
  CHECK(in_lower_case("").empty());
}
