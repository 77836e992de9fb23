#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "profiles/programs/training/kernel_computations.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "profiles/programs/training/kernel_computations.hpp"

namespace huddle::calibration {
namespace {

using Factory = ComputationPtr (*)(std::size_t);

const std::vector<std::pair<const char*, Factory>> kAll = {{"dense_multiply", dense_multiply},
                                                           {"monte_carlo", monte_carlo},
                                                           {"polynomial", polynomial},
                                                           {"pointer_chase", pointer_chase},
                                                           {"random_gather", random_gather},
                                                           {"hash_lookup", hash_lookup},
                                                           {"graph_walk", graph_walk},
                                                           {"triad", triad},
                                                           {"copy", copy},
                                                           {"dot_product", dot_product},
                                                           {"transpose", transpose},
                                                           {"stencil", stencil},
                                                           {"blocked_stencil", blocked_stencil},
                                                           {"sweep", sweep},
                                                           {"fourier", fourier},
                                                           {"sparse_product", sparse_product},
                                                           {"radix_sort", radix_sort}};

TEST_CASE("every computation is right for small, odd and larger footprints") {
  for (const auto& [name, make] : kAll)
    for (const std::size_t footprint : {0U, 1U, 100U, 12345U, 1U << 20U}) {
      CAPTURE(name);
      CAPTURE(footprint);
      const ComputationPtr computation = make(footprint);
      CHECK(computation->wrong(0).empty());
      for (std::uint64_t pass = 0; pass < 3; ++pass) {
        computation->compute(pass, 0, 1);
        CHECK(computation->wrong(pass + 1) == "");
      }
    }
}

// Results that stay the same from pass to pass can't show how many there were.
TEST_CASE("a pass that was left out is noticed where results depend on it") {
  for (const auto& [name, make] : kAll) {
    if (make == &stencil || make == &blocked_stencil) continue;
    CAPTURE(name);
    const ComputationPtr computation = make(50000);
    computation->compute(0, 0, 1);
    CHECK(computation->wrong(2) != "");
  }
}

TEST_CASE("a sweep in parts is the same as a whole one") {
  for (const unsigned parts : {1U, 2U, 6U, 50U}) {
    const ComputationPtr computation = sweep(100000);
    for (unsigned part = 0; part < parts; ++part) computation->compute(0, part, parts);
    CHECK(computation->wrong(1) == "");
  }
}

TEST_CASE("a sequence can be asked where it will be") {
  std::uint64_t state = 5;
  for (std::uint64_t step = 0; step < 100; ++step) {
    CHECK(Sequence::after(5, step) == state);
    state = Sequence::next(state);
  }
}

TEST_CASE("a sequence modulo a power of two goes through every number") {
  std::vector<bool> seen(64);
  std::uint64_t state = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) seen[state = Sequence::next(state) % 64] = true;
  CHECK(std::find(seen.begin(), seen.end(), false) == seen.end());
}

}  // namespace
}  // namespace huddle::calibration
