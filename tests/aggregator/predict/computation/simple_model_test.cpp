#include "aggregator/predict/computation/simple_model.hpp"

#include <doctest/doctest.h>

namespace huddle {
namespace {

TEST_CASE("a pattern that was measured takes the mean of its samples") {
  const Seconds time =
      nearest_sample_time({{"1:1:1", 1, {10}}, {"2:1:1", 2, {12}}, {"2:1:1", 2, {14}}}, "2:1:1", 2);
  CHECK(time.value == doctest::Approx(13));
}

TEST_CASE("with samples on one pattern only, packing changes nothing") {
  for (const std::uint32_t ranks_per_node : {1U, 2U, 8U, 64U}) {
    const Seconds time = nearest_sample_time({{"1:1:1", 1, {10}}}, "x", ranks_per_node);
    CHECK(time == Seconds{10});
  }
}

TEST_CASE("an unmeasured pattern computes like the sample that is nearest by ratio") {
  const std::vector<ComputationSample> samples = {{"1:1:1", 1, {10}}, {"2:2:2", 8, {20}}};
  CHECK(nearest_sample_time(samples, "2:1:1", 2) == Seconds{10});  // ratios 2 and 4
  CHECK(nearest_sample_time(samples, "1:1:3", 3) == Seconds{20});  // ratios 3 and 2.67
  CHECK(nearest_sample_time(samples, "2:1:2", 4) == Seconds{20});  // ratios 4 and 2
  CHECK(nearest_sample_time(samples, "4:2:2", 16) == Seconds{20});
}

TEST_CASE("another pattern of the same density counts as near, with all its samples") {
  const Seconds time =
      nearest_sample_time({{"1:1:1", 1, {10}}, {"2:1:1", 2, {20}}, {"1:2:1", 2, {30}}}, "1:1:2", 2);
  CHECK(time.value == doctest::Approx(25));
}

TEST_CASE("of two samples as near, the denser one counts, for every ratio") {
  for (std::uint32_t k = 2; k < 200; ++k) {
    CAPTURE(k);
    CHECK(nearest_sample_time({{"a", 1, {10}}, {"b", k * k, {20}}}, "x", k) == Seconds{20});
    CHECK(nearest_sample_time({{"b", k * k, {20}}, {"a", 1, {10}}}, "x", k) == Seconds{20});
  }
}

}  // namespace
}  // namespace huddle
