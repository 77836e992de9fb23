#include "spank_plugin/plugin/client/cluster_nodes.hpp"

#include <doctest/doctest.h>

#include "tests/profiles/vocabulary/error_of.hpp"
#include "tests/spank_plugin/plugin/fake_spank.hpp"
#include "tests/spank_plugin/submission/fake_slurm.hpp"

namespace huddle::plugin {
namespace {

using Names = std::vector<std::string>;

// Four nodes of 8 CPUs and two of 16; "main" has all of them, "large" the two, "tail" the others
// but n0.
void have_six_nodes(const SlurmForATest& slurm) {
  for (int i = 0; i < 6; ++i)
    slurm->nodes.push_back({"n" + std::to_string(i), static_cast<std::uint16_t>(i < 4 ? 8 : 16)});
  slurm->partitions = {{"main", {0, 5}, true}, {"large", {4, 5}}, {"tail", {1, 1, 2, 3}}};
}

TEST_CASE("Slurm's short form of a node list is spelled out in its order") {
  CHECK(expand_node_names("n[0-2,7]") == Names{"n0", "n1", "n2", "n7"});
  CHECK(expand_node_names("b,a,b") == Names{"b", "a", "b"});
  CHECK(expand_node_names("n[08-10]") == Names{"n08", "n09", "n10"});
  CHECK(error_of([] { expand_node_names(""); }) == "Slurm can't read the node list \"\"");
}

TEST_CASE("a job may run in the partitions that its user names, else in the default one") {
  const SlurmForATest slurm;
  have_six_nodes(slurm);
  submission::FakeSlurm job;
  CHECK(partitions_of({}, job) == Names{"main"});
  job.options["partition"] = ",large,,tail";
  CHECK(partitions_of({}, job) == Names{"large", "tail"});
  job.options["partition"] = "large,nosuch";
  CHECK(error_of([&] { partitions_of({}, job); }) == "Slurm knows no partition \"nosuch\"");
  job.options.clear();
  slurm->partitions[0].by_default = false;
  CHECK(partitions_of({}, job).empty());
  slurm->partitions.clear();
  CHECK(partitions_of({}, job).empty());
  CHECK(slurm->messages == 0);
}

TEST_CASE("the controller is asked once for what several questions need") {
  const SlurmForATest slurm;
  have_six_nodes(slurm);
  const submission::FakeSlurm job;
  const ControllerAnswers controller;
  CHECK(partitions_of(controller, job) == Names{"main"});
  slurm->partitions.clear();
  CHECK(partitions_of(controller, job) == Names{"main"});
  CHECK(why_nodes_are_missing(controller, job, 6, {8}).empty());
  slurm->nodes.pop_back();
  CHECK(why_nodes_are_missing(controller, job, 6, {8}).empty());
  CHECK(partitions_of({}, job).empty());
}

TEST_CASE("a plan's nodes are there if as many are large enough") {
  const SlurmForATest slurm;
  have_six_nodes(slurm);
  const submission::FakeSlurm job;
  CHECK(why_nodes_are_missing({}, job, 6, {8}).empty());
  CHECK(why_nodes_are_missing({}, job, 2, {16}).empty());
  CHECK(why_nodes_are_missing({}, job, 3, {16}) ==
        "the plan needs 3 node(s) with 16 CPUs and partition main has 2 of them");
  CHECK(why_nodes_are_missing({}, job, 7, {1}) ==
        "the plan needs 7 node(s) with 1 CPUs and partition main has 6 of them");
  CHECK(slurm->messages == 0);
}

TEST_CASE("only nodes with as many cores as the plan takes them to have count") {
  const SlurmForATest slurm;
  have_six_nodes(slurm);
  const submission::FakeSlurm job;
  const submission::NodeNeed need{4, {}, NodeShape{1, 4}};
  CHECK(why_nodes_are_missing({}, job, 6, need).empty());  // slurmctld does not say
  for (FakeNode& node : slurm->nodes) {
    node.sockets = 2;
    node.cores_per_socket = static_cast<std::uint16_t>(node.cpus / 2);
  }
  CHECK(why_nodes_are_missing({}, job, 1, need) ==
        "the plan is for nodes of 1 package with 4 cores, and partition main has nodes of 2 "
        "packages with 16 cores: huddle doctor compares the machine document with them");
  CHECK(why_nodes_are_missing({}, job, 6, {4}).empty());
  CHECK(why_nodes_are_missing({}, job, 4, {4, {}, NodeShape{2, 8}}).empty());
  CHECK_FALSE(why_nodes_are_missing({}, job, 5, {4, {}, NodeShape{2, 8}}).empty());
  // Too few of any kind.
  CHECK(why_nodes_are_missing({}, job, 7, need).ends_with("has 6 of them"));
}

TEST_CASE(
    "NUMA nodes that Slurm calls sockets, hardware threads and plain CPUs are no other node") {
  const SlurmForATest slurm;
  have_six_nodes(slurm);
  const submission::FakeSlurm job;
  const submission::NodeNeed need{4, {}, NodeShape{1, 8}};
  const auto have = [&](std::uint16_t sockets, std::uint16_t cores, std::uint16_t threads) {
    for (FakeNode& node : slurm->nodes) {
      node.cpus = static_cast<std::uint16_t>(sockets * cores * threads);
      node.sockets = sockets;
      node.cores_per_socket = cores;
      node.threads_per_core = threads;
    }
  };
  have(4, 2, 1);
  CHECK(why_nodes_are_missing({}, job, 6, need).empty());
  have(1, 8, 2);
  CHECK(why_nodes_are_missing({}, job, 6, need).empty());
  have(16, 1, 1);  // of CPUs=16 alone
  CHECK(why_nodes_are_missing({}, job, 6, need).empty());
  have(2, 8, 1);
  CHECK_FALSE(why_nodes_are_missing({}, job, 6, need).empty());
}

TEST_CASE("CPUs that are kept for the system are no job's") {
  const SlurmForATest slurm;
  have_six_nodes(slurm);
  for (FakeNode& node : slurm->nodes)
    node.effective_cpus = static_cast<std::uint16_t>(node.cpus - 1);
  const submission::FakeSlurm job;
  CHECK(why_nodes_are_missing({}, job, 6, {7}).empty());
  CHECK(why_nodes_are_missing({}, job, 6, {8}) ==
        "the plan needs 6 node(s) with 8 CPUs and partition main has 2 of them");
}

TEST_CASE("nodes that are down or drained or do not answer don't count, busy ones do") {
  const SlurmForATest slurm;
  have_six_nodes(slurm);
  const submission::FakeSlurm job;
  const std::vector<std::uint64_t> away = {NODE_STATE_DOWN,
                                           NODE_STATE_ERROR,
                                           NODE_STATE_FUTURE,
                                           NODE_STATE_IDLE | NODE_STATE_DRAIN,
                                           NODE_STATE_ALLOCATED | NODE_STATE_FAIL,
                                           NODE_STATE_IDLE | NODE_STATE_NO_RESPOND};
  for (const std::uint64_t state : away) {
    CAPTURE(state);
    slurm->nodes[3].state = static_cast<std::uint32_t>(state);
    CHECK(why_nodes_are_missing({}, job, 6, {8}).ends_with("has 5 of them"));
  }
  for (const std::uint32_t here : {NODE_STATE_ALLOCATED, NODE_STATE_MIXED, NODE_STATE_IDLE}) {
    slurm->nodes[3].state = here;
    CHECK(why_nodes_are_missing({}, job, 6, {8}).empty());
  }
}

TEST_CASE("what the user excludes and the feature that the user requires leave fewer nodes") {
  const SlurmForATest slurm;
  have_six_nodes(slurm);
  submission::FakeSlurm job;
  job.options["exclude"] = "n[1-2],elsewhere";
  CHECK(why_nodes_are_missing({}, job, 4, {8}).empty());
  CHECK(why_nodes_are_missing({}, job, 5, {8}).ends_with("has 4 of them"));
  job.options = {{"constraint", "fast"}};
  slurm->nodes[0].features = "slow,fast";
  slurm->nodes[1].features = "faster";
  slurm->nodes[2].features = "slow";
  slurm->nodes[2].active_features = "fast";
  slurm->nodes[3].features = "fast";
  slurm->nodes[3].active_features = "slow";
  CHECK(why_nodes_are_missing({}, job, 2, {8}).empty());
  CHECK(why_nodes_are_missing({}, job, 3, {8}).ends_with("has 2 of them"));
}

TEST_CASE("a constraint that only Slurm understands is no promise of nodes") {
  const SlurmForATest slurm;
  have_six_nodes(slurm);
  for (const char* constraint : {"a&b", "a|b", "a*2", "[a|b]", "(a)", "a,b", "a:b"}) {
    submission::FakeSlurm job;
    job.options["constraint"] = constraint;
    CHECK(why_nodes_are_missing({}, job, 1, {1}) ==
          std::string("which nodes --constraint=") + constraint + " leaves is not known");
  }
}

TEST_CASE("each partition that the job may start in must have the nodes") {
  const SlurmForATest slurm;
  have_six_nodes(slurm);
  submission::FakeSlurm job;
  job.options["partition"] = "main,large";
  CHECK(why_nodes_are_missing({}, job, 2, {8}).empty());
  CHECK(why_nodes_are_missing({}, job, 3, {8}) ==
        "the plan needs 3 node(s) with 8 CPUs and partition large has 2 of them");
  job.options["partition"] = "tail";
  CHECK(why_nodes_are_missing({}, job, 3, {8}).empty());
  CHECK(why_nodes_are_missing({}, job, 4, {8}).ends_with("partition tail has 3 of them"));
}

TEST_CASE("a partition's own limits are named, also where its nodes would do") {
  const SlurmForATest slurm;
  have_six_nodes(slurm);
  const submission::FakeSlurm job;
  slurm->partitions[0].min_nodes = 4;
  CHECK(why_nodes_are_missing({}, job, 3, {8}) == "partition main gives no fewer than 4 nodes");
  CHECK(why_nodes_are_missing({}, job, 4, {8}).empty());
  slurm->partitions[0].min_nodes = NO_VAL;
  slurm->partitions[0].max_cpus_per_node = 12;
  CHECK(why_nodes_are_missing({}, job, 4, {8}).empty());
  CHECK(why_nodes_are_missing({}, job, 5, {8}) ==
        "partition main gives at most 12 CPUs of a node, and a plan needs whole nodes");
  for (const std::uint32_t none : {0U, std::uint32_t{INFINITE}, std::uint32_t{NO_VAL}}) {
    slurm->partitions[0].max_cpus_per_node = none;
    CHECK(why_nodes_are_missing({}, job, 5, {8}).empty());
  }
}

TEST_CASE("a partition whose nodes the controller does not list has none") {
  const SlurmForATest slurm;
  have_six_nodes(slurm);
  slurm->nodes.resize(2);
  CHECK(why_nodes_are_missing({}, submission::FakeSlurm(), 3, {8}).ends_with("has 2 of them"));
  slurm->partitions[0].ranges.clear();
  CHECK(why_nodes_are_missing({}, submission::FakeSlurm(), 1, {8}).ends_with("has 0 of them"));
}

TEST_CASE("where nodes are shown to operators only, none are missing for users") {
  const SlurmForATest slurm;
  have_six_nodes(slurm);
  slurm->hides_nodes = true;
  slurm->nodes.resize(2);
  CHECK(why_nodes_are_missing({}, submission::FakeSlurm(), 3, {8}).empty());
  slurm->nodes.clear();
  CHECK(why_nodes_are_missing({}, submission::FakeSlurm(), 3, {8}).empty());
  slurm->partitions[0].min_nodes = 4;
  CHECK(why_nodes_are_missing({}, submission::FakeSlurm(), 3, {8}) ==
        "partition main gives no fewer than 4 nodes");
  slurm->hides_nodes = false;
  CHECK(why_nodes_are_missing({}, submission::FakeSlurm(), 4, {8}).empty());
  CHECK(slurm->messages == 0);
}

TEST_CASE("a controller that does not answer is an error, not an empty cluster") {
  const SlurmForATest slurm;
  have_six_nodes(slurm);
  slurm->controller_answers = false;
  CHECK(error_of([] { partitions_of({}, submission::FakeSlurm()); }) ==
        "Slurm's controller does not list its partitions");
  CHECK(error_of([] { why_nodes_are_missing({}, submission::FakeSlurm(), 1, {1}); }) ==
        "Slurm's controller does not list its partitions");
}

}  // namespace
}  // namespace huddle::plugin
