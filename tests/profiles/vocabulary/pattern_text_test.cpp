#include "profiles/vocabulary/pattern_text.hpp"

#include <doctest/doctest.h>

#include <string>

namespace huddle {
namespace {

using Numbers = std::vector<std::uint32_t>;

TEST_CASE("a pattern is three to five numbers parted by colons") {
  CHECK(pattern_numbers("2:1:4") == Numbers{2, 1, 4});
  CHECK(pattern_numbers("2:1:4:2") == Numbers{2, 1, 4, 2});
  CHECK(pattern_numbers("2:1:4:1") == Numbers{2, 1, 4});
  CHECK(pattern_numbers("2:4:1:8:1024") == Numbers{2, 4, 1, 8, 1024});
}

TEST_CASE("anything else is no pattern") {
  for (const std::string text : {"", ":", "2", "2:1", "2:1:", ":1:2", "2:1:4:", "1:1:1:1:1:1",
                                 "2:0:1", "2:1:1025", "2:1:x", "2 :1:1", "+1:1:1"}) {
    CAPTURE(text);
    CHECK(pattern_numbers(text).empty());
  }
}

}  // namespace
}  // namespace huddle
