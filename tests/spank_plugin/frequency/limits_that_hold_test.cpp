// The limits that hold where requests, a site's bounds, shared clocks and other jobs meet.

#include <doctest/doctest.h>

#include "tests/spank_plugin/frequency/node_of_clocks.hpp"

namespace huddle::frequency {
namespace {

using Node = NodeOfClocks;

TEST_CASE("the site's limits come before a request") {
  Node node;
  node.site = ClockLimits{1800000, 2200000};
  const FrequencyReport report = node.claim(1, 0, "0-1@1000000-2000000");
  CHECK(node.kernel.limits(0) == "1800000-2000000");
  REQUIRE(report.differences.size() == 1);
  CHECK(report.differences[0] == "PUs 0-1 run at 1.8-2 GHz, 1-2 GHz was asked for");
}

TEST_CASE("without a site's limits no clock leaves those that an administrator gave it") {
  Node node;
  REQUIRE(node.kernel.write(0, "scaling_max_freq", "2000000") == 0);
  node.before = node.kernel.files();
  const FrequencyReport report = node.claim(1, 0, "0-1@1500000-2500000");
  CHECK(node.kernel.limits(0) == "1500000-2000000");
  CHECK(node.kernel.limits(1) == "1500000-2500000");
  REQUIRE(report.differences.size() == 1);
  CHECK(report.differences[0] == "PUs 0 run at 1.5-2 GHz, 1.5-2.5 GHz was asked for");
  // Nor do they for a claim that takes the place of another one.
  node.claim(1, 0, "0@1000000-1200000");
  node.claim(1, 0, "0@1800000-3000000");
  CHECK(node.kernel.limits(0) == "1800000-2000000");
  node.release(1, 0);
  CHECK(node.is_as_before());
  // The site may allow more.
  node.site = ClockLimits{1'000'000, 2'800'000};
  node.claim(1, 0, "0@1500000-2500000");
  CHECK(node.kernel.limits(0) == "1500000-2500000");
}

TEST_CASE("PUs that share a clock get the highest request of them") {
  Node node("intel_cpufreq", 2, 4);
  const FrequencyReport report = node.claim(1, 0, "0@1500000-1500000;1@2000000-2000000");
  CHECK(node.kernel.limits(0) == "2000000-2000000");
  CHECK(node.kernel.limits(1) == "1000000-3000000");
  REQUIRE(report.differences.size() == 1);
  CHECK(report.differences[0] == "PUs 0 run at 2 GHz, 1.5 GHz was asked for");
}

TEST_CASE("a clock that is shared with CPUs outside of the job is left alone, and that is said") {
  Node node("intel_cpufreq", 2, 4);
  const FrequencyReport report = node.claim(1, 0, "2-5@1500000-1500000", "0-5");
  CHECK(node.kernel.limits(0) == "1500000-1500000");
  CHECK(node.kernel.limits(1) == "1000000-3000000");
  REQUIRE(report.failures.size() == 1);
  CHECK(report.failures[0].starts_with("PUs 4-5 keep their frequency: they share a clock"));
}

TEST_CASE("of two jobs on one PU the higher limits hold, and the user of the other is told") {
  Node node;
  node.claim(1, 0, "0@2000000-2500000");
  const FrequencyReport report = node.claim(2, 0, "0@1500000-1500000");
  CHECK(report.failures.empty());
  REQUIRE(report.differences.size() == 1);
  CHECK(report.differences[0] == "PUs 0 run at 2-2.5 GHz, 1.5 GHz was asked for");
  node.release(1, 0);
  CHECK(node.kernel.limits(0) == "1500000-1500000");
  node.release(2, 0);
  CHECK(node.is_as_before());
}

}  // namespace
}  // namespace huddle::frequency
