#include "profiles/vocabulary/size_class.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace huddle {
namespace {

constexpr std::uint64_t kTop = std::uint64_t{1} << 63U;
constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

TEST_CASE("a message's size class is the power of two that bounds it") {
  CHECK(size_class_of(0) == 0);
  CHECK(size_class_of(1) == 1);
  CHECK(size_class_of(2) == 2);
  CHECK(size_class_of(3) == 2);
  CHECK(size_class_of(4) == 3);
  CHECK(size_class_of(kTop - 1) == 63);
  CHECK(size_class_of(kTop) == 64);
  CHECK(size_class_of(kMax) == 64);
}

TEST_CASE("the classes cover every size, without a gap and without overlap") {
  CHECK(smallest_of_class(0) == 0);
  CHECK(largest_of_class(0) == 0);
  for (unsigned k = 1; k < kSizeClasses; ++k) {
    CAPTURE(k);
    CHECK(smallest_of_class(k) == largest_of_class(k - 1) + 1);
    CHECK(size_class_of(smallest_of_class(k)) == k);
    CHECK(size_class_of(largest_of_class(k)) == k);
  }
  CHECK(largest_of_class(kSizeClasses - 1) == kMax);
}

}  // namespace
}  // namespace huddle
