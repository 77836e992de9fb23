#include <doctest/doctest.h>

#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/formats/plan/decision.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/submission/submission.hpp"
#include "tests/spank_plugin/submission/submission_site.hpp"

namespace huddle::submission {
namespace {

Decision grouping_in(const std::string& plan) {
  Decision decision{Decision::Action::kApply, "kept on 8 nodes", plan, 8, 2, "2:1:1"};
  decision.keeps_nodes = true;
  return decision;
}

TEST_CASE("a job with GPUs keeps what it asks for, and its steps get a plan of who shares a node") {
  SubmissionSite site;
  site.slurm.options["gpus-per-task"] = "1";
  site.slurm.missing = "whole nodes are down";
  const FakeSlurm::Texts asked = site.slurm.options;
  site.answer_with(to_json(grouping_in(site.path("plan.json"))));
  site.submit("auto");
  CHECK(site.slurm.options == asked);
  CHECK(told(site.slurm, kGroupingWord).value() == site.path("plan.json"));
  CHECK_FALSE(site.slurm.variables.contains(kPlanVariable));
  CHECK(site.slurm.lines == std::vector<std::string>{"kept on 8 nodes"});
  CHECK(site.promised() == Treatment::kGrouped);
}

TEST_CASE("where ranks see several GPUs, the user learns by what they must choose") {
  SubmissionSite site;
  site.slurm.options["gpus-per-node"] = "4";
  site.answer_with(to_json(grouping_in(site.path("plan.json"))));
  site.submit("auto");
  REQUIRE(site.slurm.lines.size() == 1);
  CHECK(site.slurm.lines[0] ==
        "kept on 8 nodes; a rank that chooses its GPU must do it by its number on the node (or "
        "nodes=keep)");
}

TEST_CASE("a plan of who shares a node that can't be read leaves the job as submitted") {
  SubmissionSite site;
  site.slurm.options["gpus"] = "8";
  const FakeSlurm::Texts asked = site.slurm.options;
  site.answer_with(to_json(grouping_in(site.path("missing.json"))));
  CHECK_THROWS_AS(site.submit("auto"), Error);
  CHECK(site.slurm.options == asked);
  CHECK_FALSE(told(site.slurm, kGroupingWord).has_value());
  CHECK(site.promised() == Treatment::kLeft);
}

TEST_CASE("ranks are not grouped for a user who keeps the nodes, nor before nodes have names") {
  SubmissionSite keeping;
  keeping.slurm.options["gpus"] = "8";
  keeping.submit("nodes=keep");
  CHECK_FALSE(keeping.asked());
  SubmissionSite direct;
  direct.slurm.options["gpus"] = "8";
  direct.answer_with(Decision::Action::kLeave);
  direct.submit("auto", Submitter::kDirectSrun);
  CHECK_FALSE(direct.request().keeps_nodes);
  CHECK(direct.slurm.lines ==
        std::vector<std::string>{
            "left as submitted: its nodes are kept for what they have (--gpus)"});
}

/// A job of 8 ranks on one node, and a plan of which of its cores each has.
struct SiteOfOneNode : SubmissionSite {
  SiteOfOneNode() {
    slurm.options["nodes"] = "1";
    Decision decision{Decision::Action::kApply, "kept on 1 node", path("plan.json"), 1, 8, "2:2:2"};
    decision.keeps_nodes = true;
    answer_with(to_json(decision));
  }
};

TEST_CASE("a job of one node keeps what it asks for, and its tasks share the cores of their step") {
  SiteOfOneNode site;
  const FakeSlurm::Texts asked = site.slurm.options;
  site.submit("auto");
  CHECK(site.request().keeps_nodes);
  CHECK(site.request().samples == 1);
  CHECK(site.slurm.options == asked);
  CHECK(told(site.slurm, kGroupingWord).value() == site.path("plan.json"));
  CHECK(told(site.slurm, kSharedNodesWord) == "1");
  CHECK_FALSE(told(site.slurm, kStepPlanWord).has_value());
  CHECK(site.slurm.lines == std::vector<std::string>{"kept on 1 node"});
  CHECK(site.promised() == Treatment::kGrouped);
}

TEST_CASE("an srun that makes a job of one node follows its plan at once") {
  SiteOfOneNode site;
  const FakeSlurm::Texts asked = site.slurm.options;
  site.submit("auto", Submitter::kDirectSrun);
  CHECK(site.slurm.options == asked);
  CHECK(told(site.slurm, kStepPlanWord).value() == site.path("plan.json"));
  CHECK(told(site.slurm, kSharedNodesWord) == "1");
}

TEST_CASE("ranks with devices have the cores beside them on their one node") {
  SiteOfOneNode site;
  site.slurm.options["gpus"] = "4";
  site.submit("auto");
  CHECK_FALSE(site.asked());
  CHECK(site.slurm.lines == std::vector<std::string>{"left as submitted: it uses one node only"});
}

TEST_CASE("ranks that mpirun starts on one node are measured only where clocks may change") {
  SiteOfOneNode site;
  site.slurm.script_text = "mpirun ./app\n";
  site.submit("auto");
  CHECK_FALSE(site.asked());
  CHECK(site.slurm.lines ==
        std::vector<std::string>{
            "left as submitted: it uses one node only, and mpirun places its ranks"});
}

TEST_CASE("a job of one node for which there is nothing to do says so") {
  SiteOfOneNode site;
  Decision left;
  left.reason = "no gain";
  site.answer_with(to_json(left));
  site.submit("auto");
  CHECK(site.slurm.lines ==
        std::vector<std::string>{"left as submitted: it uses one node only; no gain"});
}

}  // namespace
}  // namespace huddle::submission
