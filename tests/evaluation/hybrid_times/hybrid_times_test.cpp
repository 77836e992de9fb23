#include <doctest/doctest.h>

#include "tests/evaluation/hybrid_times/times_study.hpp"

namespace huddle::hybrid {
namespace {

// Seeds that nobody looked at while models were made.
constexpr std::uint64_t kHeldOut = 2000;

StudyOutcome study(const StudiedNode& node, const Means& means, std::uint64_t seeds) {
  StudyOutcome outcome;
  for (std::uint64_t seed = kHeldOut; seed < kHeldOut + seeds; ++seed)
    outcome.add(study_times(node, seed, means));
  return outcome;
}

}  // namespace

TEST_CASE(
    "nine of ten times of programs left out are within 10 %, from three samples with events") {
  for (const StudiedNode& node : nodes_of_first_truth()) {
    CAPTURE(node.name);
    const StudyOutcome outcome = study(node, {}, 1);
    CHECK(outcome.share_within(0.1) >= 0.9);
    CHECK(outcome.coverage() >= 0.85);
    CHECK(outcome.median_width() < 1.3);
  }
}

TEST_CASE(
    "intervals hold the truth nearly as often as they say, also from one sample without training") {
  for (const StudiedNode& node : nodes_of_first_truth())
    for (const std::size_t samples : {3U, 2U, 1U}) {
      CAPTURE(node.name);
      CAPTURE(samples);
      CHECK(study(node, {.samples = samples, .events = false, .training = false}, 4).coverage() >=
            0.88);
    }
}

TEST_CASE("one sample leaves wide intervals, and further ones narrow them") {
  for (const StudiedNode& node : nodes_of_first_truth()) {
    CAPTURE(node.name);
    const double one =
        study(node, {.samples = 1, .events = false, .training = false}, 2).median_width();
    const double two =
        study(node, {.samples = 2, .events = false, .training = false}, 2).median_width();
    const double three =
        study(node, {.samples = 3, .events = false, .training = false}, 2).median_width();
    CHECK(one > 2);
    CHECK(two < one);
    CHECK(three < two);
  }
}

}  // namespace huddle::hybrid
