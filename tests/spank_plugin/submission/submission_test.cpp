#include "spank_plugin/submission/submission.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "profiles/store/job_claim.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "spank_plugin/submission/job_changes.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"
#include "tests/spank_plugin/submission/submission_site.hpp"

namespace huddle::submission {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a user whose name in the store is taken by somebody else's folder is told") {
  SubmissionSite site;
  const std::string user = site.slurm.user();
  store::put_file(site.path("store/" + user), "");
  site.submit("profile");
  REQUIRE(site.slurm.lines.size() == 1);
  CHECK(site.slurm.lines[0].find(fmt::format("; {} is not a directory of user {}, so {}~",
                                             site.path("store/" + user), user,
                                             site.path("store/" + user))) != std::string::npos);
  CHECK(site.slurm.variable(kRecorderVariable).has_value());
}

TEST_CASE("a job with a plan gets its nodes, its layout and one line") {
  SubmissionSite site;
  std::vector<std::string> in_steps;
  SUBCASE("where steps print nothing") {}
  SUBCASE("where they may") {
    site.put_policy("off", "messages.in_steps = true");
    in_steps = {"what was decided"};
  }
  site.answer_with(Decision::Action::kApply);
  site.submit("auto");
  CHECK(site.slurm.options == FakeSlurm::Texts{{"nodes", "2"},
                                               {"ntasks", "16"},
                                               {"ntasks-per-node", "8"},
                                               {"exclusive", ""},
                                               {"comment", "huddle:packed 8->2 2:2:2"}});
  const auto announced = told(site.slurm, kAnnouncementWord);
  CHECK(announced.has_value() == !in_steps.empty());
  if (announced) CHECK(*announced == in_steps.front());
  CHECK(told(site.slurm, kMessagesWord) == (in_steps.empty() ? "0" : "1"));
  CHECK(site.slurm.variables.at(kPlanVariable) == site.path("plan.json"));
  CHECK(told(site.slurm, kMpirunHelperWord).value() == site.path("mca_schizo_huddle.so"));
  CHECK_FALSE(told(site.slurm, kStepPlanWord));
  CHECK(site.slurm.lines == std::vector<std::string>{"what was decided"});
  CHECK(site.promised() == Treatment::kPacked);
}

TEST_CASE(
    "steps of salloc have as many tasks as were asked for, also where nodes are filled unevenly") {
  SubmissionSite site;
  site.answer_with(Decision::Action::kApply, 4);  // 16 ranks, and 8 on the fullest of 4 nodes
  site.slurm.options["ntasks-per-node"] = "2";
  SUBCASE("by salloc") {
    site.slurm.script_text = "";
    site.submit("auto");
    CHECK_FALSE(site.slurm.options.contains("ntasks-per-node"));
    CHECK(site.slurm.options.at("mincpus") == "8");
  }
  SUBCASE("by sbatch, whose script is told both numbers") {
    site.submit("auto");
    CHECK(site.slurm.options.at("ntasks-per-node") == "8");
    CHECK_FALSE(site.slurm.options.contains("mincpus"));
  }
  CHECK(site.slurm.options.at("ntasks") == "16");
  CHECK(site.slurm.options.at("nodes") == "4");
}

TEST_CASE(
    "a packed job's comment is its user's, if there is one, and the site decides about ours") {
  SubmissionSite site;
  site.answer_with(Decision::Action::kApply);
  SUBCASE("the user's") {
    site.slurm.options["comment"] = "mine";
    site.put_policy("off", "messages.in_steps = true");
    site.submit("auto");
    CHECK(site.slurm.options.at("comment") == "mine");
    CHECK(told(site.slurm, kAnnouncementWord).has_value());
  }
  SUBCASE("none in steps of no script, whose terminal had the line already") {
    site.put_policy("off", "messages.in_steps = true");
    site.slurm.script_text = "";
    site.submit("auto");
    CHECK(site.slurm.options.contains("comment"));
    CHECK_FALSE(told(site.slurm, kAnnouncementWord).has_value());
  }
  SUBCASE("one that Slurm refuses") {
    site.slurm.refused = "comment";
    site.submit("auto");
    CHECK(site.slurm.options.at("nodes") == "2");
  }
  CHECK(site.slurm.lines == std::vector<std::string>{"what was decided"});
}

TEST_CASE("a packed job's comment has the predicted change of time, never minus zero") {
  Decision decision;
  decision.nodes = 2;
  decision.pattern = "2:1:2";
  decision.slowdown = 0.0061;
  CHECK(job_comment(decision, 8) == "huddle:packed 8->2 2:1:2 +0.6%");
  decision.slowdown = -0.0001;
  CHECK(job_comment(decision, {}) == "huddle:packed ->2 2:1:2 +0.0%");
}

TEST_CASE("a packed job is recorded as the site's policy says, and its ranks stay where they are") {
  SubmissionSite site;
  const auto is_recorded = [&](const std::string& record, bool untried) {
    Decision decision{Decision::Action::kApply, "packed", site.path("plan.json"), 2, 8, "2:2:2"};
    decision.untried = untried;
    site.answer_with(to_json(decision));
    site.slurm = {};
    site.slurm.options = {{"nodes", "8"}, {"ntasks", "16"}};
    site.put_policy("off", "record = \"" + record + "\"");
    site.submit("auto");
    CHECK(site.slurm.variables.contains(kPlanVariable));
    const bool recorded = site.slurm.variables.contains(kRecorderVariable);
    CHECK(told(site.slurm, kPackedRunWord).has_value() == recorded);
    return recorded;
  };
  CHECK(is_recorded("always", false));
  CHECK(is_recorded("sometimes", true));
  CHECK(is_recorded("when needed", true));
  CHECK_FALSE(is_recorded("when needed", false));
  CHECK_FALSE(is_recorded("never", true));
  // A store that takes no record takes no profile.
  fs::rename(site.path("store"), site.path("elsewhere"));
  CHECK_FALSE(is_recorded("always", true));
}

TEST_CASE("an srun of its own is laid out in rank order, and carries its plan") {
  SubmissionSite site;
  site.answer_with(Decision::Action::kApply);
  site.submit("auto", Submitter::kDirectSrun);
  CHECK(site.request().grouping == Grouping::kRankOrder);
  CHECK(told(site.slurm, kStepPlanWord) == site.path("plan.json"));
  CHECK_FALSE(told(site.slurm, kAnnouncementWord).has_value());
}

TEST_CASE("an srun of its own is asked for nodes that its ranks fit on, whose cores it all has") {
  SubmissionSite site;
  site.answer_with(Decision::Action::kApply);
  site.slurm.options["cpus-per-task"] = "2";
  site.slurm.options["exact"] = "";  // as --exclusive, which is set, would have it
  site.submit("auto", Submitter::kDirectSrun);
  CHECK(site.slurm.options.contains("exclusive"));
  CHECK_FALSE(site.slurm.options.contains("exact"));
  CHECK_FALSE(site.slurm.options.contains("cpus-per-task"));
  CHECK(site.slurm.options.at("mincpus") == "16");
  CHECK(site.slurm.variable("SLURM_CPUS_PER_TASK") == "2");
  SubmissionSite of_script;  // its steps are laid out later
  of_script.answer_with(Decision::Action::kApply);
  of_script.slurm.options["cpus-per-task"] = "2";
  of_script.submit("auto");
  CHECK(of_script.slurm.options.at("cpus-per-task") == "2");
  CHECK_FALSE(of_script.slurm.options.contains("mincpus"));
}

TEST_CASE("huddle plan is asked by one document on its standard input") {
  SubmissionSite site;
  site.put_policy("off", "slowdown = \"4%\"\nrisk = \"interval\"\nexplore = \"trial\"");
  site.answer_with(Decision::Action::kLeave);
  site.slurm.options["cpus-per-task"] = "2";
  site.slurm.variables[kSizeVariable] = "64x64";
  site.submit("objective=edp,label=caf\xe9,profile=~/p.json");
  CHECK(store::get_file(site.path("arguments")) == "plan --request=- --json\n");
  const PlanRequest request = site.request();
  CHECK(request.user == "ann");
  CHECK(request.label == "caf\xe9");
  CHECK(request.ranks == 16);
  CHECK(request.nodes == 8U);
  CHECK(request.cores_per_rank == 2);
  CHECK(request.size == 4096);
  CHECK(request.slowdown == doctest::Approx(0.04));
  CHECK(request.risk == Risk::kInterval);
  CHECK(request.explore == Explore::kTrial);
  CHECK(request.objective == Objective::kEdp);
  CHECK(request.store == site.path("store"));
  CHECK_FALSE(request.make_store);
  CHECK(request.profiles == std::vector<fs::path>{"/home/ann/p.json"});
  CHECK(request.answer_within == Seconds{1.5});
  CHECK_FALSE(request.every_pattern);
  CHECK_FALSE(request.dry_run);
}

TEST_CASE("a job without a profile is measured as it was submitted") {
  SubmissionSite site;
  site.answer_with(Decision::Action::kMeasure);
  site.submit("auto");
  CHECK(site.slurm.options == FakeSlurm::Texts{{"nodes", "8"}, {"ntasks", "16"}});
  CHECK(site.slurm.variables.at(kRecorderVariable) == site.path("libhuddle_recorder.so"));
  CHECK(told(site.slurm, kMpirunHelperWord).value() ==
        site.path("mca_schizo_huddle.so"));  // mpirun starts ranks, too
  CHECK(site.slurm.variables.at(kStoreVariable) == site.path("store"));
  CHECK(site.slurm.variables.at(kLabelVariable) == "halo");
  CHECK(site.slurm.lines == std::vector<std::string>{"what was decided"});
  CHECK(site.promised() == Treatment::kMeasured);
}

TEST_CASE("a run that is measured on request is not asked about") {
  SubmissionSite site;
  site.submit("profile");
  CHECK_FALSE(site.asked());
  CHECK(site.slurm.lines == std::vector<std::string>{"this run is measured, its profile goes to " +
                                                     site.path("store")});
}

TEST_CASE("a range of nodes has a lower end that is kept") {
  SubmissionSite site;
  site.slurm.options["nodes"] = "4-8";
  site.answer_with(Decision::Action::kLeave);
  site.submit("auto");
  CHECK(site.request().nodes == 8U);
  CHECK(site.request().least_nodes == 4);
}

TEST_CASE("Slurm's nodes must be those that the decision's plan is for") {
  SubmissionSite site;
  Decision decision{Decision::Action::kApply, "packed", site.path("plan.json"), 2, 8, "2:2:2"};
  site.answer_with(to_json(decision));
  site.submit("auto");
  CHECK_FALSE(site.slurm.needed.shape.has_value());
  decision.node_shape = NodeShape{1, 4};
  SubmissionSite told;
  decision.plan_file = told.path("plan.json");
  told.answer_with(to_json(decision));
  told.submit("auto");
  CHECK(told.slurm.needed.shape == decision.node_shape);
}

TEST_CASE("memory that was asked for follows the ranks, and a packed job has all of its nodes'") {
  constexpr std::uint64_t kGib = std::uint64_t{1} << 30U;
  SubmissionSite by_node;
  by_node.slurm.options["mem"] = "8G";
  by_node.answer_with(Decision::Action::kApply);
  by_node.submit("auto");
  CHECK(by_node.request().memory_per_rank == Bytes{4 * kGib});  // 16 ranks on 8 nodes
  CHECK(by_node.slurm.needed.memory == Bytes{8 * 4 * kGib});
  CHECK(by_node.slurm.options.at("mem") == "0");
  SubmissionSite by_cpu;
  by_cpu.slurm.options["mem-per-cpu"] = "2G";
  by_cpu.slurm.options["cpus-per-task"] = "2";
  by_cpu.answer_with(Decision::Action::kApply);
  by_cpu.submit("auto");
  CHECK(by_cpu.request().memory_per_rank == Bytes{4 * kGib});
  CHECK(by_cpu.slurm.options.at("mem") == "0");
  CHECK_FALSE(by_cpu.slurm.options.contains("mem-per-cpu"));
  SubmissionSite by_site;
  by_site.slurm.terms.memory = Bytes{8 * kGib};
  by_site.answer_with(Decision::Action::kApply);
  by_site.submit("auto");
  CHECK(by_site.request().memory_per_rank == Bytes{});
  CHECK(by_site.slurm.options.at("mem") == "0");
}

TEST_CASE("the limit of time is the one that is asked for, or else the partition's") {
  SubmissionSite site;
  site.slurm.time_limit = Seconds{3600};
  site.answer_with(Decision::Action::kLeave);
  site.submit("auto");
  CHECK(site.request().time_limit == Seconds{3600});
  site.slurm.options["time"] = "00:01:00";
  site.submit("auto");
  CHECK(site.request().time_limit == Seconds{60});
}

TEST_CASE("whole nodes may be charged more only where the site says so, and the user is told") {
  SubmissionSite site;
  site.put_policy("off", "[limits]\nhigher_charge = true");
  site.slurm.packed_cpus = 24;
  site.answer_with(Decision::Action::kApply);
  site.submit("auto");
  CHECK(site.slurm.lines ==
        std::vector<std::string>{"what was decided; it is charged 24 CPUs in place of 16"});
  SubmissionSite strict;
  strict.slurm.packed_cpus = 24;
  strict.answer_with(Decision::Action::kApply);
  CHECK(error_of([&] { strict.submit("auto"); }) ==
        "packed it would be charged 24 CPUs in place of 16, and the site does not want that");
  check_untouched(strict);
  strict.slurm.packed_cpus = 16;
  strict.submit("auto");
  CHECK(strict.promised() == Treatment::kPacked);
}

TEST_CASE("nodes that are kept are not asked about, unless frequencies may change") {
  SubmissionSite site;
  site.submit("nodes=keep");
  CHECK_FALSE(site.asked());
  CHECK(site.slurm.lines ==
        std::vector<std::string>{"left as submitted: you keep your nodes (nodes=keep)"});
  site.put_policy("off", "[frequency]\ncontrol = true");
  site.answer_with(Decision::Action::kLeave);
  site.submit("nodes=keep,frequency=auto");
  CHECK(site.request().least_nodes == 8);
  CHECK(site.request().samples == 1);
  CHECK(site.request().frequencies == FrequencyRange{});
}

TEST_CASE("frequencies of a plan are handed on within the site's limit") {
  SubmissionSite site;
  site.put_policy("off", "[frequency]\ncontrol = true\n[limits]\nfrequency = \"1.5GHz-2GHz\"");
  Decision decision{Decision::Action::kApply, "packed", site.path("plan.json"), 2, 8, "2:2:2"};
  decision.frequency = KilohertzRange{1'200'000, 1'800'000};
  site.answer_with(to_json(decision));
  site.submit("frequency=auto");
  CHECK(site.request().frequencies == FrequencyRange{{1.5e9}, {2e9}});
  CHECK(site.slurm.variables.at(kFrequencyVariable) == "1500000-1800000");
  CHECK(site.slurm.lines == std::vector<std::string>{"packed; cores run at 1.5 GHz to 1.8 GHz"});
}

}  // namespace
}  // namespace huddle::submission
