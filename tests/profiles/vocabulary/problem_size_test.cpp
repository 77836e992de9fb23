#include "profiles/vocabulary/problem_size.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace huddle {
namespace {

TEST_CASE("a size is a number above 0, or a product of such") {
  CHECK(parse_problem_size("4096") == 4096);
  CHECK(parse_problem_size("1e6") == 1e6);
  CHECK(parse_problem_size("0.5") == 0.5);
  CHECK(parse_problem_size("64x64x32") == 131072);
  CHECK(parse_problem_size("10X3*2") == 60);
}

TEST_CASE("anything else is no size") {
  for (const char* text : {"", " ", "0", "-1", "x", "4x", "x4", "4xx4", "4 x 4", "64k", "nan",
                           "inf", "1e400", "1e300x1e300", "1e-300x1e-300", "+4", "4,5", "0x10"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_problem_size(text).has_value());
  }
}

TEST_CASE("the text of a size is read as the same size") {
  for (const double size : {1.0, 4096.0, 1e6, 1.0 / 3, std::numeric_limits<double>::max(),
                            std::numeric_limits<double>::denorm_min()})
    CHECK(parse_problem_size(problem_size_text(size)) == size);
  CHECK(problem_size_text(4096) == "4096");
}

}  // namespace
}  // namespace huddle
