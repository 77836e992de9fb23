#include "profiles/formats/outcome/control_draw.hpp"

#include <doctest/doctest.h>

#include <fmt/format.h>

namespace huddle {
namespace {

TEST_CASE("a lot is what docs/formats/outcome.md says, so that anybody can repeat a draw") {
  CHECK(lot_of("2026", "ann halo 16 1764500000000000000") == doctest::Approx(0.6803686702580253));
  CHECK(lot_of("", "") == doctest::Approx(0.5593592956206592));
}

TEST_CASE("of many tickets that hardly differ, each share is drawn about as often as it says") {
  constexpr int kTickets = 100'000;
  for (const double share : {0.01, 0.05, 0.5}) {
    int drawn = 0;
    for (int i = 0; i < kTickets; ++i)
      if (lot_of("seed", fmt::format("ann halo 16 {}", 1764500000000000000 + i)) < share) ++drawn;
    CHECK(drawn == doctest::Approx(share * kTickets).epsilon(0.05));
  }
}

TEST_CASE("another seed draws others") {
  CHECK(lot_of("a", "ticket") != lot_of("b", "ticket"));
}

}  // namespace
}  // namespace huddle
