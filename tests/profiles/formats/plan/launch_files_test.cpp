#include "profiles/formats/plan/launch_files.hpp"

#include <doctest/doctest.h>

#include "tests/profiles/formats/sample_documents.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

// Ranks 0 and 2 on the first host, rank 1 on the second one.
const std::vector<std::string> kHosts = {"left", "right", "unused"};

TEST_CASE("Slurm gets the hosts in the order of ranks") {
  CHECK(slurm_node_list(sample_plan(), kHosts) == "left,right,left");
  CHECK(slurm_host_file(sample_plan(), kHosts) == "left\nright\nleft\n");
}

TEST_CASE("Open MPI gets a line for each rank with its PUs") {
  CHECK(openmpi_rankfile(sample_plan(), kHosts) ==
        "rank 0=left slot=0\nrank 1=right slot=0-1\nrank 2=left slot=2\n");
}

TEST_CASE("ranks of a program without a plan may use what the plan uses on their nodes") {
  Plan plan;
  plan.chosen.nodes = 2;
  plan.placement = {{{1}, PuSet::parse("0,4")}, {{0}, PuSet::parse("2")}, {{1}, PuSet::parse("1")}};
  CHECK(openmpi_rankfile_of_nodes(plan, {"n5", "n6"}) ==
        "rank 0=n6 slot=0-1,4\nrank 1=n5 slot=2\nrank 2=n6 slot=0-1,4\n");
  CHECK_THROWS_AS(openmpi_rankfile_of_nodes(plan, {"n5"}), Error);
  CHECK(openmpi_rankfile_of_shared_nodes(plan, {"n5", "n6"}) ==
        "rank 0=n6 slot=S*\nrank 1=n5 slot=S*\nrank 2=n6 slot=S*\n");
}

TEST_CASE("MPICH gets hosts with how many consecutive ranks they take") {
  CHECK(mpich_host_file(sample_plan(), kHosts) == "left:1\nright:1\nleft:1\n");
  Plan plan = sample_plan();
  plan.placement[1].node = {0};
  CHECK(mpich_host_file(plan, kHosts) == "left:3\n");
  plan.placement[2].node = {1};
  CHECK(mpich_host_file(plan, kHosts) == "left:2\nright:1\n");
}

TEST_CASE("too few hosts are an error for every launcher") {
  const std::string error = "the plan needs 2 nodes and there are 1";
  CHECK(error_of([] { slurm_node_list(sample_plan(), {"a"}); }) == error);
  CHECK(error_of([] { slurm_host_file(sample_plan(), {"a"}); }) == error);
  CHECK(error_of([] { openmpi_rankfile(sample_plan(), {"a"}); }) == error);
  CHECK(error_of([] { mpich_host_file(sample_plan(), {"a"}); }) == error);
}

}  // namespace
}  // namespace huddle
