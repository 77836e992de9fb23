#include "profiles/recorder/openmp/pass_sampling.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace huddle::recorder {
namespace {

TEST_CASE("a region's first passes are all timed, and later ones if they come seldom") {
  PassPace often;
  PassPace seldom;
  for (std::uint32_t i = 0; i < PassPace::kTimedFirst; ++i) {
    CHECK(!often.is_short());
    often.timed(1000);
    seldom.timed(PassPace::kTicksPerPass);
  }
  CHECK(often.is_short());
  CHECK(!seldom.is_short());
  for (int i = 0; i < 100; ++i) often.timed(2 * PassPace::kTicksPerPass);
  CHECK(!often.is_short());
}

TEST_CASE("one interruption makes a short region exact for some passes only") {
  PassPace pace;
  for (std::uint32_t i = 0; i < PassPace::kTimedFirst; ++i) pace.timed(1000);
  pace.timed(20'000'000);
  CHECK(!pace.is_short());
  int passes = 0;
  for (; !pace.is_short(); ++passes) pace.timed(1000);
  CHECK(passes < 60);
}

// Passes of several lengths that come again and again, in a period that is a power of two as
// strides often are: as the recorder draws from them.
TEST_CASE("what drawn passes stand for adds up to all, also where a program repeats itself") {
  const std::vector<std::uint64_t> pattern = {900, 100, 100, 300, 100, 100, 100, 100};
  PassDraw draw;
  double total = 0;
  double estimate = 0;
  double weights = 0;
  std::uint64_t drawn = 0;
  constexpr std::uint64_t kPasses = 4'000'000;
  for (std::uint64_t i = 0; i < kPasses; ++i) {
    const std::uint64_t ticks = pattern[i % pattern.size()];
    total += static_cast<double>(ticks);
    if (!draw.draws()) continue;
    ++drawn;
    estimate += static_cast<double>(ticks) * draw.weight();
    weights += draw.weight();
    draw.timed(ticks);
  }
  CHECK(drawn > kPasses / 200);
  CHECK(drawn < kPasses / 20);
  CHECK(weights == doctest::Approx(kPasses).epsilon(0.02));
  CHECK(estimate / weights == doctest::Approx(total / kPasses).epsilon(0.03));
}

TEST_CASE("passes are drawn as seldom as they are short, but not ever more seldom") {
  PassDraw draw;
  for (int i = 0; i < 200; ++i) draw.timed(1);
  CHECK(draw.weight() == PassDraw::kMostStride);
  for (int i = 0; i < 200; ++i) draw.timed(PassPace::kTicksPerPass / 4);
  CHECK(draw.weight() >= 4);
  CHECK(draw.weight() <= 5);
  for (int i = 0; i < 200; ++i) draw.timed(3 * PassPace::kTicksPerPass);
  CHECK(draw.weight() == 1);
  CHECK(draw.draws());
}

}  // namespace
}  // namespace huddle::recorder
