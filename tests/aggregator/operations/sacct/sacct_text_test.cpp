#include "aggregator/operations/sacct/sacct_text.hpp"

#include <doctest/doctest.h>

namespace huddle::operations {
namespace {

TEST_CASE("times are read as sacct writes them") {
  CHECK(seconds_in("00:01") == 1);
  CHECK(seconds_in("05:06.789") == doctest::Approx(306.789));
  CHECK(seconds_in("04:05:06") == 14706);
  CHECK(seconds_in("3-04:05:06") == 273906);
  for (const char* wrong : {"", "7", "a:b", "1:2:3:4", "-1:00", "1-", "1--00:01", "0:nan", "0:inf"})
    CHECK_FALSE_MESSAGE(seconds_in(wrong), wrong);
}

TEST_CASE("sizes are read with and without a unit") {
  CHECK(bytes_in("1263616K") == 1263616.0 * 1024);
  CHECK(bytes_in("1.50G") == 1.5 * (1 << 30));
  CHECK(bytes_in("12.5M") == 12.5 * (1 << 20));
  CHECK(bytes_in("2T") == 2.0 * (1ULL << 40U));
  CHECK(bytes_in("0") == 0);
  CHECK(bytes_in("512", 1 << 20) == 512.0 * (1 << 20));
  for (const char* wrong : {"", "K", "1X", "-1K", "nanK", "inf", "1KK"})
    CHECK_FALSE_MESSAGE(bytes_in(wrong), wrong);
}

TEST_CASE("a list of resources is asked for one of them") {
  constexpr std::string_view kList =
      "billing=96,cpu=96,energy=4500,gres/gpu=2,gres/gpu:a100=2,mem=180G,node=2";
  CHECK(resource_in(kList, "billing") == "96");
  CHECK(resource_in(kList, "mem") == "180G");
  CHECK(resource_in(kList, "cp").empty());
  CHECK(resource_in("", "cpu").empty());
  CHECK(has_resource(kList, "gres/gpu"));
  CHECK(has_resource("cpu=1,gres/gpu:v100=1", "gres/gpu"));
  CHECK_FALSE(has_resource("cpu=1,gres/gpu=0", "gres/gpu"));
  CHECK_FALSE(has_resource("cpu=1", "gres/gpu"));
}

}  // namespace
}  // namespace huddle::operations
