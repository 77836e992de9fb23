#include "profiles/vocabulary/quantities.hpp"

#include <doctest/doctest.h>

#include <type_traits>

#include "profiles/vocabulary/ids.hpp"

namespace huddle {
namespace {

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept Comparable = requires(A a, B b) {
  a < b;
};

static_assert(Addable<Seconds, Seconds>);
static_assert(!Addable<Seconds, Joules>, "units do not mix");
static_assert(!Addable<Seconds, double>, "a bare number has no unit");
static_assert(!Comparable<Bytes, Seconds>);
static_assert(!Comparable<Rank, NodeIndex>, "a rank is no node");
static_assert(!std::is_convertible_v<std::uint32_t, Rank>);

TEST_CASE("quantities of one unit add, subtract, scale and compare") {
  Seconds sum = Seconds{1.5} + Seconds{0.5};
  sum += Seconds{2};
  CHECK(sum == Seconds{4});
  CHECK(sum - Seconds{1} == Seconds{3});
  CHECK(2.0 * sum == sum * 2.0);
  CHECK(Seconds{1} < Seconds{2});
}

TEST_CASE("the ratio of two quantities is a plain number, for whole ones too") {
  CHECK(Seconds{3} / Seconds{2} == 1.5);
  CHECK(Bytes{3} / Bytes{2} == 1.5);
}

}  // namespace
}  // namespace huddle
