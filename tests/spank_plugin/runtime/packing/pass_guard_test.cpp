#include "spank_plugin/runtime/packing/pass_guard.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace huddle::runtime {
namespace {

/// A guard at 3 % with a group that took a second.
PassGuard guard_of_a_second() {
  PassGuard guard(0.03);
  for (const double time : {1.0, 9.0, 1.0, 0.9, 1.0}) guard.measured(4, Seconds{time});
  return guard;
}

}  // namespace

TEST_CASE("a group goes back at its third bad pass, for good") {
  PassGuard guard = guard_of_a_second();
  CHECK(guard.reference(4) == Seconds{1.0});
  CHECK(guard.acted_on(4, Seconds{1.02}));
  CHECK(guard.acted_on(4, Seconds{1.04}));
  CHECK(guard.acted_on(4, Seconds{1.04}));
  CHECK_FALSE(guard.is_back(4));
  CHECK_FALSE(guard.acted_on(4, Seconds{1.04}));
  CHECK(guard.is_back(4));
  for (int i = 0; i < 20; ++i) CHECK_FALSE(guard.acted_on(4, Seconds{0.5}));
}

TEST_CASE("bad passes that come between good ones count, those of long ago do not") {
  PassGuard alternating = guard_of_a_second();
  bool stays = true;
  for (int i = 0; i < 6; ++i) stays = alternating.acted_on(4, Seconds{i % 2 == 0 ? 2.0 : 1.0});
  CHECK_FALSE(stays);
  PassGuard rare = guard_of_a_second();
  for (int i = 0; i < 400; ++i) CHECK(rare.acted_on(4, Seconds{i % 8 == 0 ? 2.0 : 1.0}));
}

TEST_CASE("a reference is the median of the first six passes, and acting does not change it") {
  PassGuard guard(0.1);
  for (const double time : {4.0, 1.0, 2.0, 3.0}) guard.measured(1, Seconds{time});
  CHECK(guard.reference(1) == Seconds{2.5});
  guard.measured(1, Seconds{0});
  guard.measured(1, Seconds{std::nan("")});
  CHECK(guard.reference(1) == Seconds{2.5});
  for (int i = 0; i < 9; ++i) guard.measured(1, Seconds{100});
  CHECK(guard.reference(1) == Seconds{3.5});  // 1 2 3 4 100 100
  for (int i = 0; i < 9; ++i) guard.acted_on(1, Seconds{3.8});
  CHECK(guard.reference(1) == Seconds{3.5});
}

TEST_CASE("groups are judged apart, and one that was never measured is not acted on") {
  PassGuard guard = guard_of_a_second();
  CHECK_FALSE(guard.acted_on(5, Seconds{0.1}));
  CHECK(guard.is_back(5));
  CHECK(guard.acted_on(4, Seconds{1}));
  CHECK_FALSE(guard.is_back(4));
  CHECK_FALSE(guard.is_back(77));
  CHECK_FALSE(guard.reference(77).has_value());
}

TEST_CASE("a time that is none is a bad pass") {
  PassGuard guard = guard_of_a_second();
  CHECK(guard.acted_on(4, Seconds{std::nan("")}));
  CHECK(guard.acted_on(4, Seconds{std::numeric_limits<double>::infinity()}));
  CHECK_FALSE(guard.acted_on(4, Seconds{std::nan("")}));
}

TEST_CASE("a group is known once it has as many passes as its reference is made of") {
  PassGuard guard = guard_of_a_second();
  CHECK_FALSE(guard.is_known(4));
  guard.measured(4, Seconds{1});
  CHECK(guard.is_known(4));
  CHECK_FALSE(guard.is_known(5));
  for (std::uint64_t group = 10; group < 10 + PassGuard::kMostGroups; ++group)
    guard.measured(group, Seconds{1});
  CHECK(guard.has_room_for(10));
  CHECK_FALSE(guard.has_room_for(9999));
}

}  // namespace huddle::runtime
