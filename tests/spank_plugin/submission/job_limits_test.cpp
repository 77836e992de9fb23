#include "spank_plugin/submission/job_limits.hpp"

#include <doctest/doctest.h>

#include <string>
#include <tuple>

namespace huddle::submission {
namespace {

HeldLimits qos(const std::string& name) {
  return {.whose = "QOS " + name, .of_qos = true};
}

HeldLimits account(const std::string& name) {
  return {.whose = "account " + name};
}

ResourceLimit limit(const char* text) {
  return ResourceLimit::parse(text);
}

constexpr JobSize kSize{.cpus = 16, .nodes = 2, .memory_mib = 4000, .minutes = 10};

TEST_CASE("a limit is read from Slurm's numbers of resources") {
  const ResourceLimit all = limit("1=12,2=4000,4=8,1001=2");
  CHECK(all.cpus == 12U);
  CHECK(all.memory_mib == 4000U);
  CHECK(all.nodes == 8U);
  for (const char* text : {"", "2=100", "1=", "1", "=,,", "1=-5", "1=12x"}) {
    CAPTURE(text);
    CHECK_FALSE(limit(text).cpus.has_value());
    CHECK_FALSE(limit(text).nodes.has_value());
  }
}

TEST_CASE("a job is above a limit only with more than it allows, of each kind") {
  for (const auto& [which, fits, misses, why] :
       {std::tuple(&HeldLimits::of_job, "1=16,4=2,2=4000", "1=15",
                   "QOS a allows 15 CPUs and it would have 16"),
        std::tuple(&HeldLimits::of_job, "4=2", "4=1", "QOS a allows 1 nodes and it would have 2"),
        std::tuple(&HeldLimits::of_job, "2=4000", "2=3999",
                   "QOS a allows 3999 MiB of memory and it would have 4000"),
        std::tuple(&HeldLimits::of_node, "1=8", "1=7",
                   "QOS a allows 7 CPUs on a node and it would have 8"),
        std::tuple(&HeldLimits::of_minutes, "1=160", "1=159",
                   "QOS a allows 159 CPUs times minutes and it would have 160"),
        std::tuple(&HeldLimits::of_user, "1=16", "1=12",
                   "QOS a allows 12 CPUs to a user and it would have 16"),
        std::tuple(&HeldLimits::of_account, "1=16", "1=12",
                   "QOS a allows 12 CPUs to an account and it would have 16"),
        std::tuple(&HeldLimits::of_all, "1=16", "1=12",
                   "QOS a allows 12 CPUs to all its jobs and it would have 16")}) {
    HeldLimits held = qos("a");
    held.*which = limit(fits);
    CHECK(why_limits_forbid({held}, kSize) == "");
    held.*which = limit(misses);
    CHECK(why_limits_forbid({held}, kSize) == why);
    CHECK(why_limits_forbid({held}, {}) == "");
  }
}

TEST_CASE("a job is below a limit only with less than it wants, as far as that is known") {
  HeldLimits held = qos("wide");
  held.least = limit("1=16,4=2");
  CHECK(why_limits_forbid({held}, kSize) == "");
  held.least = limit("4=4");
  CHECK(why_limits_forbid({held}, kSize) == "QOS wide wants 4 nodes or more and it would have 2");
  CHECK(why_limits_forbid({held}, {.cpus = 16}) == "");
}

TEST_CASE("what one limits later ones do not, kind by kind") {
  HeldLimits first = qos("first");
  first.of_job = limit("1=32");
  HeldLimits second = qos("second");
  second.of_job = limit("1=12,4=1");
  CHECK(why_limits_forbid({first, second}, kSize) ==
        "QOS second allows 1 nodes and it would have 2");
  HeldLimits third = account("lab");
  third.of_job = limit("1=12");
  CHECK(why_limits_forbid({first, third}, kSize) == "");
  CHECK(why_limits_forbid({third, first}, kSize) ==
        "account lab allows 12 CPUs and it would have 16");
}

TEST_CASE("what all jobs may have is limited by each account, unless a QOS limits it") {
  HeldLimits user = account("lab for user ann");
  user.of_all = limit("1=32");
  HeldLimits above = account("physics");
  above.of_all = limit("1=12");
  CHECK(why_limits_forbid({qos("normal"), user, above}, kSize) ==
        "account physics allows 12 CPUs to all its jobs and it would have 16");
  HeldLimits large = qos("large");
  large.of_all = limit("1=64");
  CHECK(why_limits_forbid({large, user, above}, kSize) == "");
}

}  // namespace
}  // namespace huddle::submission
