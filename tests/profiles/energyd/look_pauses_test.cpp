#include "profiles/energyd/daemon/look_pauses.hpp"

#include <doctest/doctest.h>

namespace huddle::energyd {
namespace {

TEST_CASE("looks at steps take half of the time, and a fifth of a processor, at most") {
  using std::chrono::milliseconds;
  LookPauses pauses;
  const LookPauses::Clock::time_point end{std::chrono::hours(1)};
  CHECK(pauses.until() <= end);
  pauses.add(end, milliseconds(100), milliseconds(2));
  CHECK(pauses.until() == end + milliseconds(100));
  pauses.add(end, milliseconds(100), milliseconds(90));
  CHECK(pauses.until() == end + milliseconds(360));
}

}  // namespace
}  // namespace huddle::energyd
