// Jobs that a submission leaves as they are, or whose nodes it keeps.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"
#include "tests/spank_plugin/submission/submission_site.hpp"

namespace huddle::submission {
namespace {

TEST_CASE("a site that is switched off leaves jobs as they are, and says so to those who asked") {
  SubmissionSite site;
  site.answer_with(Decision::Action::kMeasure);
  const auto expect_off = [&](const std::string& why) {
    site.slurm.lines.clear();
    site.submit("profile");
    REQUIRE(site.slurm.lines.size() == 1);
    CHECK(site.slurm.lines[0] == "left as submitted: Huddle is switched off here: " + why);
    CHECK_FALSE(site.slurm.variable(kRecorderVariable).has_value());
  };
  store::put_file(site.path("huddle.stop"), "");
  expect_off(site.path("huddle.stop") + " exists");
  std::filesystem::remove(site.path("huddle.stop"));
  const std::string policy = store::get_file(site.path("huddle.toml"));
  store::put_file(site.path("huddle.toml"), "enabled = false\n" + policy);
  expect_off(site.path("huddle.toml") + " has enabled = false");
  site.put_policy("off");
  site.submit("profile");
  CHECK(site.slurm.variable(kRecorderVariable).has_value());
}

TEST_CASE("a job whose partition or account can't be told gets nothing that others are granted") {
  for (const std::string table : {"[partition.test]", "[account.free]"}) {
    CAPTURE(table);
    SubmissionSite site;
    site.answer_with(Decision::Action::kApply);
    site.slurm.unknown = "Slurm knows no such name";
    site.put_policy("auto");
    site.submit("none");  // no table, nothing to tell
    CHECK(site.asked());
    std::filesystem::remove(site.path("request"));
    // The same job with other options.
    SubmissionSite other;
    other.answer_with(Decision::Action::kApply);
    other.slurm.unknown = site.slurm.unknown;
    other.put_policy("auto", table + "\nlimits.modes = []");
    CHECK(error_of([&] { other.submit("none"); }) ==
          "Slurm knows no such name, and the site's policy is not the same for all");
    CHECK_FALSE(other.asked());
    check_untouched(other);
    // Nobody asked, and nobody gets anything unasked: there is nothing to say.
    other.put_policy("off", table + "\nlimits.modes = []");
    other.submit("none");
    CHECK(other.slurm.lines.empty());
    CHECK_FALSE(error_of([&] { other.submit("auto"); }).empty());
  }
  SubmissionSite nowhere;
  nowhere.slurm.partition_names.clear();
  nowhere.put_policy("auto", "[partition.test]\nlimits.modes = []");
  CHECK(
      error_of([&] { nowhere.submit("none"); }).starts_with("Slurm does not say which partition"));
}

TEST_CASE("without the option, and with off, nothing happens and nothing is said") {
  SubmissionSite site;
  site.submit("none");
  site.put_policy("auto");
  site.submit("off");
  CHECK_FALSE(site.asked());
  CHECK(site.slurm.lines.empty());
  CHECK(site.slurm.variables.empty());
  site.slurm.shown = false;
  site.submit("off");
  CHECK(error_of([&] { site.submit("none"); }) ==
        "this Slurm does not show its options to plugins");
}

TEST_CASE("with off even a policy that is broken is nobody's concern") {
  SubmissionSite site;
  store::put_file(site.path("huddle.toml"), "nonsense");
  site.submit("off");
  CHECK_THROWS_AS(site.submit("none"), Error);
}

TEST_CASE("a mode that the site forbids is refused in a line") {
  SubmissionSite site;
  site.put_policy("off", "[limits]\nmodes = [\"profile\"]");
  site.submit("auto");
  CHECK(site.slurm.lines ==
        std::vector<std::string>{"left as submitted: by site policy (mode auto is not allowed, "
                                 "only off, profile)"});
  CHECK(site.slurm.variables.empty());
}

TEST_CASE("a job whose options say what a plan does anyway is like any other") {
  SubmissionSite site;
  site.answer_with(Decision::Action::kMeasure);
  site.slurm.options["distribution"] = "block:cyclic";
  site.slurm.options["cpu-bind"] = "verbose,cores";
  site.slurm.options["mem-bind"] = "local";
  site.slurm.options["threads-per-core"] = "1";
  site.slurm.options["ntasks-per-core"] = "1";
  site.submit("auto");
  CHECK(site.asked());
  CHECK(site.slurm.variable(kRecorderVariable).has_value());
}

TEST_CASE("whoever places ranks is obeyed, and told so") {
  for (const char* option : {"distribution", "nodelist", "cpu-bind", "oversubscribe", "tmp",
                             "spread-job", "use-min-nodes", "ntasks-per-gpu"}) {
    CAPTURE(option);
    SubmissionSite site;
    site.slurm.options[option] = "some";
    site.submit("auto");
    CHECK_FALSE(site.asked());
    REQUIRE(site.slurm.lines.size() == 1);
    CHECK(site.slurm.lines[0].starts_with("left as submitted: "));
    CHECK(site.slurm.lines[0].ends_with(fmt::format("(--{})", option)));
    CHECK(site.promised() == Treatment::kLeft);
    site.slurm.options.erase(option);
    check_untouched(site);
  }
  SubmissionSite site;
  site.slurm.variables["SLURM_HOSTFILE"] = "hosts";
  site.submit("auto");
  CHECK(site.slurm.lines ==
        std::vector<std::string>{"left as submitted: you place ranks yourself (SLURM_HOSTFILE)"});
}

TEST_CASE("a job that wants a part of the network for itself is left alone") {
  SubmissionSite site;
  site.slurm.options["exclusive"] = "topo";
  site.submit("auto");
  CHECK(site.slurm.lines ==
        std::vector<std::string>{"left as submitted: its meaning would change with fewer nodes "
                                 "(--exclusive=topo)"});
  SubmissionSite whole_nodes;
  whole_nodes.answer_with(Decision::Action::kApply);
  whole_nodes.slurm.options["exclusive"] = "exclusive";
  whole_nodes.submit("auto");
  CHECK(whole_nodes.promised() == Treatment::kPacked);
}

TEST_CASE("an environment that steps do not see, several parts, and one rank are left alone") {
  SubmissionSite hidden;
  hidden.slurm.options["export-file"] = "variables";
  hidden.submit("profile");
  CHECK(hidden.slurm.lines ==
        std::vector<std::string>{"left as submitted: its steps would not see what was decided "
                                 "(--export-file)"});
  SubmissionSite parts;
  parts.slurm.words = {"srun", "a", ":", "b"};
  parts.submit("auto");
  CHECK(parts.slurm.lines ==
        std::vector<std::string>{"left as submitted: it has several parts (a heterogeneous job)"});
  SubmissionSite one;
  one.slurm.options["ntasks"] = "1";
  one.submit("auto");
  CHECK_FALSE(one.asked());
  CHECK(one.slurm.lines == std::vector<std::string>{"left as submitted: it uses one node only"});
}

TEST_CASE("a job whose steps all have fewer ranks than it asks for is left alone at once") {
  SubmissionSite site;
  site.slurm.script_text = "srun --exact -n 8 ./a &\nsrun --exact -n 8 ./b &\nwait\n";
  site.submit("auto");
  CHECK_FALSE(site.asked());
  CHECK(site.slurm.lines ==
        std::vector<std::string>{
            "left as submitted: none of its steps has all of its ranks (srun -n 8)"});
  site.slurm.lines.clear();
  CHECK_THROWS_AS(site.submit("plan=/none.json"), Error);  // a plan of its user's is looked at
  site.answer_with(Decision::Action::kLeave);
  site.submit("nodes=fewer");
  CHECK(site.asked());
}

TEST_CASE("jobs that a site's default leaves for what they are get no line") {
  SubmissionSite site;
  site.put_policy("auto");
  site.slurm.options["nodes"] = "1";
  site.answer_with(Decision::Action::kLeave);
  site.submit("none");
  CHECK(site.slurm.lines.empty());
  site.slurm.options["ntasks"] = "1";
  site.submit("none");
  CHECK(site.slurm.lines.empty());
  site.slurm.options["nodes"] = "8";
  site.slurm.options["ntasks"] = "16";
  site.slurm.options["nodelist"] = "n[0-7]";
  site.submit("none");
  CHECK(site.slurm.lines.empty());
  site.slurm.options.erase("nodelist");
  site.slurm.script_text = "srun -N4 ./app\n";
  site.answer_with(Decision::Action::kLeave);
  site.submit("none");
  CHECK(site.slurm.lines.empty());
  site.slurm.script_text = "srun ./app\n";
  site.submit("none");
  CHECK(site.slurm.lines == std::vector<std::string>{"left as submitted: what was decided"});
  site.put_policy("profile");
  site.slurm.lines.clear();
  site.slurm.options["export-file"] = "variables";
  site.submit("none");
  CHECK(site.slurm.lines.empty());
}

TEST_CASE("a job without a name is left alone, unless the option gives a label") {
  for (const char* mode : {"auto", "profile"}) {
    SubmissionSite site;
    site.slurm.options["job-name"] = "";
    site.submit(mode);
    CHECK(site.slurm.lines ==
          std::vector<std::string>{"left as submitted: it has no name for its profile (--job-name, "
                                   "or label= in --energy-aggregate)"});
    CHECK_FALSE(site.slurm.variable(kRecorderVariable).has_value());
    site.slurm.lines.clear();
    site.answer_with(Decision::Action::kMeasure);
    site.submit(std::string(mode) + ",label=halo");
    CHECK(site.slurm.variable(kLabelVariable) == "halo");
  }
}

TEST_CASE("a script that parts its job is left alone") {
  SubmissionSite site;
  site.slurm.script_text = "#!/bin/sh\n#SBATCH -N2\n#SBATCH hetjob\n#SBATCH -N1\nsrun a : b\n";
  site.submit("auto");
  CHECK_FALSE(site.asked());
  CHECK(site.slurm.lines ==
        std::vector<std::string>{"left as submitted: it has several parts (a heterogeneous job)"});
}

TEST_CASE("a script that seems to need its nodes keeps them, and is measured all the same") {
  SubmissionSite site;
  site.slurm.script_text = "srun -N4 ./app\n";
  site.answer_with(Decision::Action::kLeave);
  site.submit("auto");
  CHECK(site.request().least_nodes == 8);
  CHECK(site.slurm.lines ==
        std::vector<std::string>{"left as submitted: your script places ranks itself (srun -N4); "
                                 "nodes=fewer if that is safe"});
  site.answer_with(Decision::Action::kMeasure);
  site.submit("auto");
  CHECK(site.promised() == Treatment::kMeasured);
}

TEST_CASE("nodes=fewer is the user's word that fewer nodes are safe") {
  SubmissionSite site;
  site.slurm.script_text = "srun -N $SLURM_NNODES ./app\n";
  site.answer_with(Decision::Action::kApply);
  site.submit("nodes=fewer");
  CHECK(site.promised() == Treatment::kPacked);
  SubmissionSite unseen;
  unseen.slurm.script_text.reset();
  unseen.answer_with(Decision::Action::kLeave);
  unseen.submit("auto");
  CHECK(unseen.slurm.lines ==
        std::vector<std::string>{"left as submitted: its script can't be looked at (nodes=fewer: "
                                 "it may have fewer nodes)"});
}

TEST_CASE("a job that asks for no devices in as many words is like any other") {
  SubmissionSite site;
  site.slurm.options["gres"] = "none";
  site.answer_with(Decision::Action::kMeasure);
  site.submit("auto");
  CHECK(site.request().least_nodes == 1);
  CHECK_FALSE(site.request().keeps_nodes);
}

TEST_CASE("nodes with GPUs are kept, whatever their user says of fewer") {
  for (const char* option : {"gres", "gpus", "gpus-per-node", "gpus-per-task"}) {
    CAPTURE(option);
    SubmissionSite site;
    site.slurm.options[option] = "1";
    site.answer_with(Decision::Action::kLeave);
    site.submit("nodes=fewer");
    CHECK(site.request().least_nodes == 8);
    CHECK(site.request().keeps_nodes);
    CHECK(site.slurm.lines == std::vector<std::string>{
                                  fmt::format("left as submitted: its nodes are kept for what they "
                                              "have (--{}); what was decided",
                                              option)});
    CHECK_FALSE(site.slurm.variables.contains(kPlanVariable));
  }
}

}  // namespace
}  // namespace huddle::submission
