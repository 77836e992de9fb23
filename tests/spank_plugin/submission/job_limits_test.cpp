#include "spank_plugin/submission/job_limits.hpp"

#include <doctest/doctest.h>

namespace huddle {
namespace {

TEST_CASE("a limit is read from Slurm's numbers of resources") {
  const ResourceLimit limit = ResourceLimit::parse("1=12,2=4000,4=8,1001=2");
  CHECK(limit.cpus == 12U);
  CHECK(limit.nodes == 8U);
  for (const char* text : {"", "2=100", "1=", "1", "=,,", "1=-5", "1=12x"}) {
    CAPTURE(text);
    CHECK_FALSE(ResourceLimit::parse(text).cpus.has_value());
    CHECK_FALSE(ResourceLimit::parse(text).nodes.has_value());
  }
}

TEST_CASE("a job is above a limit only with more than it allows") {
  const ResourceLimit limit{12, 3};
  CHECK(why_above(limit, {12, 3}, "QOS a") == "");
  CHECK(why_above(limit, {16, 1}, "QOS a") == "QOS a allows 12 CPUs and it would have 16");
  CHECK(why_above(limit, {12, 4}, "QOS a") == "QOS a allows 3 nodes and it would have 4");
  CHECK(why_above({}, {1000, 1000}, "QOS a") == "");
}

TEST_CASE("a job is below a limit only with less than it wants") {
  const ResourceLimit limit{12, 3};
  CHECK(why_below(limit, {12, 3}, "QOS a") == "");
  CHECK(why_below(limit, {16, 2}, "QOS a") == "QOS a wants 3 nodes or more and it would have 2");
  CHECK(why_below(limit, {8, 3}, "QOS a") == "QOS a wants 12 CPUs or more and it would have 8");
  CHECK(why_below({}, {0, 0}, "QOS a") == "");
}

}  // namespace
}  // namespace huddle
