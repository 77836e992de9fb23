#include "aggregator/predict/computation/simple_model.hpp"

#include <doctest/doctest.h>

namespace huddle::predict {
namespace {

// Die, package, node.
const Sharing kAlone{1, 1, 1};

TEST_CASE("ranks that share as measured ones did take the mean of these") {
  const Seconds time =
      nearest_sample_time({{kAlone, {10}}, {{1, 1, 2}, {12}}, {{1, 1, 2}, {14}}}, {1, 1, 2});
  CHECK(time.value == doctest::Approx(13));
}

TEST_CASE("with samples on one pattern only, packing changes nothing") {
  for (const std::uint32_t ranks : {1U, 2U, 8U, 64U})
    CHECK(nearest_sample_time({{kAlone, {10}}}, {1, ranks, ranks}) == Seconds{10});
}

TEST_CASE("ranks that share unlike all samples compute like those of the nearest") {
  const std::vector<ComputationSample> samples = {{kAlone, {10}}, {{2, 4, 8}, {20}}};
  CHECK(nearest_sample_time(samples, {1, 1, 2}) == Seconds{10});  // ratios 1 1 2 and 2 4 4
  CHECK(nearest_sample_time(samples, {1, 2, 4}) == Seconds{20});  // 1 2 4 and 2 2 2
  CHECK(nearest_sample_time(samples, {2, 4, 16}) == Seconds{20});
}

// Four ranks on one die do not compute like four on as many packages: the number on the node is
// not what slows them down.
TEST_CASE("the number of ranks on a node is not all that counts") {
  const std::vector<ComputationSample> samples = {{{1, 2, 4}, {10}}, {{4, 4, 4}, {28}}};
  CHECK(nearest_sample_time(samples, {4, 4, 8}) == Seconds{28});
  CHECK(nearest_sample_time(samples, {4, 4, 8}) == Seconds{28});
  CHECK(nearest_sample_time(samples, {1, 2, 8}) == Seconds{10});
}

TEST_CASE("of two samples as near, the denser one counts, for every ratio") {
  for (std::uint32_t k = 2; k < 200; ++k) {
    CAPTURE(k);
    const Sharing dense{1, 1, k * k};
    CHECK(nearest_sample_time({{kAlone, {10}}, {dense, {20}}}, {1, 1, k}) == Seconds{20});
    CHECK(nearest_sample_time({{dense, {20}}, {kAlone, {10}}}, {1, 1, k}) == Seconds{20});
  }
}

}  // namespace
}  // namespace huddle::predict
