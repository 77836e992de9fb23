#include "spank_plugin/submission/asked/placing_options.hpp"

#include <doctest/doctest.h>

#include <string>

namespace huddle::submission {
namespace {

TEST_CASE("binding to cores is what plans do, however it is written") {
  for (const char* value : {"cores", "Cores", "verbose,cores", "cores,quiet", "v,cores", "verbose"})
    CHECK(says_what_plans_do("cpu-bind", value));
  for (const char* value :
       {"", "none", "sockets", "rank", "map_cpu:0,2", "mask_cpu:3", "cores,sockets", "threads"})
    CHECK_FALSE(says_what_plans_do("cpu-bind", value));
  CHECK(says_what_plans_do("mem-bind", "local"));
  CHECK_FALSE(says_what_plans_do("mem-bind", "map_mem:0"));
}

TEST_CASE("an order of nodes one after the other is no wish, any other order is one") {
  for (const char* value :
       {"block", "block:block", "block:cyclic", "Block:Block:cyclic", "*", "*:*"})
    CHECK(says_what_plans_do("distribution", value));
  for (const char* value : {"", "cyclic", "cyclic:block", "plane=4", "arbitrary", "block:fcyclic",
                            "block,Pack", "block:block,NoPack", "UNKNOWN"})
    CHECK_FALSE(says_what_plans_do("distribution", value));
}

TEST_CASE("one thread, or one rank, a core is what plans do, and no option says so but these") {
  CHECK(says_what_plans_do("threads-per-core", "1"));
  CHECK(says_what_plans_do("ntasks-per-core", "1"));
  CHECK_FALSE(says_what_plans_do("threads-per-core", "2"));
  CHECK_FALSE(says_what_plans_do("ntasks-per-core", "2"));
  for (const PlacingOption& option : kPlacingOptions) {
    const std::string name = option.name;
    if (name != "threads-per-core" && name != "ntasks-per-core")
      CHECK_FALSE(says_what_plans_do(name, "1"));
  }
}

TEST_CASE("a step repeats its job's numbers, or those that Slurm calls them by") {
  const RequestedSize job = {4, 8};
  CHECK(repeats_request({"4", "8", "2"}, job));
  CHECK(repeats_request({"4", "", ""}, job));
  CHECK(repeats_request({"", "", "2"}, job));
  CHECK(repeats_request({"$SLURM_NNODES", "${SLURM_NTASKS}", ""}, job));
  CHECK(repeats_request({"${SLURM_JOB_NUM_NODES}", "$SLURM_NPROCS", "2"}, job));
  CHECK(repeats_request({"4", "7", "2"}, {4, 7}));
}

TEST_CASE("a step of other numbers, of one rank a node, or of an unknown job repeats nothing") {
  const RequestedSize job = {4, 8};
  CHECK_FALSE(repeats_request({"2", "8", ""}, job));
  CHECK_FALSE(repeats_request({"4", "4", ""}, job));
  CHECK_FALSE(repeats_request({"4", "", "1"}, job));
  CHECK_FALSE(repeats_request({"$NODES", "", ""}, job));
  CHECK_FALSE(repeats_request({"4-8", "", ""}, job));
  CHECK_FALSE(repeats_request({"4", "4", "1"}, {4, 4}));
  CHECK_FALSE(repeats_request({"4", "8", "2"}, {}));
}

}  // namespace
}  // namespace huddle::submission
