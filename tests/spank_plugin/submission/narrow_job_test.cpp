#include "spank_plugin/submission/narrow_job.hpp"

#include <doctest/doctest.h>

#include <string>

#include "profiles/formats/plan/plan.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "spank_plugin/submission/decided_variables.hpp"
#include "spank_plugin/submission/step_layout.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"
#include "tests/spank_plugin/submission/submission_site.hpp"

namespace huddle {
namespace {

/// A job of 16 ranks with four CPUs each, which may get two each.
struct NarrowSite : SubmissionSite {
  NarrowSite() {
    slurm.options["cpus-per-task"] = "4";
    put_policy("off", "threads.fewer_cpus = true\n");
    answer_with_cores(2);
  }
  void answer_with_cores(std::uint32_t cores) const {
    Decision decision{
        Decision::Action::kApply, "packed onto 2 of 8 nodes", path("plan.json"), 2, 8, "2:2:4"};
    decision.packed_cores_per_rank = cores;
    decision.teams_reason = "each rank has 2 of its 4 cores";
    answer_with(to_json(decision));
  }
  [[nodiscard]] std::string variable(const char* name) const {
    return slurm.variable(name).value_or("none");
  }
};

}  // namespace

TEST_CASE(
    "a job whose plan gives ranks fewer CPUs asks for so many, and hands on what was asked for") {
  NarrowSite site;
  site.submit("auto,threads=auto");
  CHECK(site.request().packs_ranks);
  CHECK(site.slurm.options.at("cpus-per-task") == "2");
  CHECK(site.slurm.options.at("nodes") == "2");
  CHECK(site.slurm.options.at("ntasks-per-node") == "8");
  CHECK(site.slurm.needed.cpus == 16);
  CHECK(site.slurm.options.at("mem") == "0");  // a share of the CPUs' memory would be too little
  CHECK(site.variable(kCpusPerTaskVariable) == "2/4");
  CHECK(site.variable(kThreadsVariable) == "auto");  // nothing more is tried in it
  CHECK(site.slurm.lines.back().find(
            "its teams stay as they are: each rank has 2 of its 4 cores") != std::string::npos);
  forget_what_was_decided(site.slurm);
  CHECK(site.variable(kCpusPerTaskVariable) == "none");
}

TEST_CASE("where Slurm says in two options how many CPUs a task has, both say the same") {
  NarrowSite site;
  site.slurm.defaults["tres-per-task"] = "cpu=4";  // filled in by --cpus-per-task
  SUBCASE("both become fewer") {
    site.submit("auto,threads=auto");
    CHECK(site.slurm.options.at("cpus-per-task") == "2");
    CHECK(site.slurm.options.at("tres-per-task") == "cpu=2");
    CHECK(site.variable(kCpusPerTaskVariable) == "2/4");
  }
  SUBCASE("both are put back where Slurm would not run the job") {
    site.slurm.refusal = "no";
    CHECK_THROWS_AS(site.submit("auto,threads=auto"), Error);
    CHECK(site.slurm.options.at("cpus-per-task") == "4");
    CHECK(site.slurm.get("tres-per-task") == "cpu=4");
  }
  SUBCASE("a user may have set the other one") {
    site.slurm.options.erase("cpus-per-task");
    site.slurm.options["tres-per-task"] = "cpu=4";
    site.submit("auto,threads=auto");
    CHECK(site.request().cores_per_rank == 4);
    CHECK(site.slurm.options.at("cpus-per-task") == "2");
    CHECK(site.slurm.options.at("tres-per-task") == "cpu=2");
  }
  SUBCASE("what it says in the first one, though nobody set it, is put back as well") {
    site.slurm.options.erase("cpus-per-task");
    site.slurm.defaults["cpus-per-task"] = "4";
    site.slurm.options["tres-per-task"] = "cpu=4";
    site.slurm.refusal = "no";
    CHECK_THROWS_AS(site.submit("auto,threads=auto"), Error);
    CHECK(site.slurm.options.at("cpus-per-task") == "4");
    CHECK(site.slurm.options.at("tres-per-task") == "cpu=4");
  }
}

TEST_CASE("Slurm does not take CPUs that are put back for more than its job has") {
  struct WatchedSlurm : FakeSlurm {
    void reset(const char* option) override {
      resets.emplace_back(option);
      FakeSlurm::reset(option);
    }
    std::vector<std::string> resets;
  } slurm;
  slurm.options["cpus-per-task"] = "8";
  const auto former = change_options(slurm, {{"cpus-per-task", "2"}});
  CHECK(slurm.resets.empty());
  change_options(slurm, former);
  CHECK(slurm.options.at("cpus-per-task") == "8");
  CHECK(slurm.resets == std::vector<std::string>{"cpus-per-task"});
}

TEST_CASE(
    "a user whose script keeps its ranks' cores is answered why, where the site allows fewer") {
  NarrowSite site;
  site.answer_with_cores(0);
  const std::string remark = "its ranks keep their cores: your script may start steps at once (&)";
  SUBCASE("it does") {
    site.slurm.script_text = "#!/bin/sh\nsrun ./a & srun ./b\n";
    site.submit("auto,threads=auto");
    CHECK(site.slurm.lines.back().find(remark) != std::string::npos);
  }
  SUBCASE("it allows none") {
    site.put_policy("off");
    site.slurm.script_text = "#!/bin/sh\nsrun ./a & srun ./b\n";
    site.submit("auto,threads=auto");
    CHECK(site.slurm.lines.back().find("its ranks keep") == std::string::npos);
  }
  SUBCASE("nothing speaks against it") {
    site.submit("auto,threads=auto");
    CHECK(site.slurm.lines.back().find("its ranks keep") == std::string::npos);
  }
}

TEST_CASE("a job that asks for GPUs by the task keeps its nodes, also where it says it otherwise") {
  NarrowSite site;
  site.slurm.options["tres-per-task"] = "cpu=4,gres/gpu=1";
  SubmittedJob job = agree_on_terms(parse_aggregate_option("auto", "option"), Policy::defaults());
  add_submission(job, parse_aggregate_option("auto", "option"), Policy::defaults(), site.slurm,
                 Submitter::kAllocator);
  CHECK(job.why_nodes_are_kept == "its nodes are kept for what they have (--tres-per-task)");
  CHECK_FALSE(job.ranks_choose);
  CHECK_FALSE(job.request.packs_ranks);
}

TEST_CASE("other plans leave the CPUs of ranks as they were asked for") {
  NarrowSite site;
  site.answer_with_cores(0);
  site.submit("auto,threads=auto");
  CHECK(site.slurm.options.at("cpus-per-task") == "4");
  CHECK(site.variable(kCpusPerTaskVariable) == "none");
}

TEST_CASE("fewer CPUs are not asked for where something speaks against it") {
  NarrowSite site;
  std::string option = "auto,threads=auto";
  SUBCASE("threads that nobody let be packed") {
    option = "auto";
  }
  SUBCASE("ranks of one CPU") {
    site.slurm.options["cpus-per-task"] = "1";
    option = "auto,threads=pack";
  }
  SUBCASE("a job that keeps its nodes") {
    option += ",nodes=keep";
  }
  SUBCASE("a user who chose the cores of teams") {
    site.slurm.variables[kTeamsVariable] = "bound 0;0 8=1";
  }
  SUBCASE("a user who asks for more than CPUs by the task") {
    site.slurm.options["tres-per-task"] = "cpu=4,license/x=1";
  }
  SUBCASE("a script that starts steps at once") {
    site.slurm.script_text = "#!/bin/sh\nsrun ./a &\nsrun ./b &\nwait\n";
    option += ",nodes=fewer";
  }
  SUBCASE("a script whose step has several parts") {
    site.slurm.script_text = "#!/bin/sh\nsrun ./a : ./b\n";
    option += ",nodes=fewer";
  }
  SUBCASE("salloc, whose shell is the user's") {
    site.slurm.script_text = "";
  }
  SUBCASE("a script that nobody can look at, though it may have fewer nodes") {
    site.slurm.script_text.reset();
    option += ",nodes=fewer";
  }
  SUBCASE("a script that places ranks, though it may have fewer nodes") {
    site.slurm.script_text = "#!/bin/sh\nmpirun --map-by slot:PE=4 ./app\n";
    option += ",nodes=fewer";
  }
  SUBCASE("a script that binds its ranks") {
    site.slurm.script_text =
        "#!/bin/sh\nsrun bash -c 'taskset -c $((SLURM_PROCID * SLURM_CPUS_PER_TASK))-31 ./app'\n";
    option += ",nodes=fewer";
  }
  SUBCASE("a script that lets numactl bind") {
    site.slurm.script_text = "#!/bin/sh\nsrun /usr/bin/numactl --localalloc ./app\n";
    option += ",nodes=fewer";
  }
  SUBCASE("a site that forbids it") {
    site.put_policy("off", "threads.allow = false\n");
  }
  SUBCASE("a site that lets threads be packed, and says nothing of CPUs") {
    site.put_policy("off");
  }
  // The answer is one that nobody asked for, all the same.
  try {
    site.submit(option);
  } catch (const Error&) {
    CHECK_FALSE(site.slurm.variables.contains(kPlanVariable));
  }
  if (site.asked()) CHECK_FALSE(site.request().packs_ranks);
  CHECK(site.slurm.options.at("cpus-per-task") != "2");
  CHECK(site.variable(kCpusPerTaskVariable) == "none");
}

TEST_CASE("an srun that makes its own job has them as well") {
  NarrowSite site;
  site.slurm.script_text = "";
  site.submit("auto,threads=auto", Submitter::kDirectSrun);
  CHECK(site.request().packs_ranks);
  CHECK(site.slurm.options.at("cpus-per-task") == "2");
  CHECK(site.variable(kStepPlanVariable) == site.path("plan.json"));
  CHECK(site.variable(kCpusPerTaskVariable) == "2/4");
}

TEST_CASE(
    "an answer that nobody asked for, or that is no part of the CPUs, leaves the job as it is") {
  NarrowSite site;
  SUBCASE("three of four") {
    site.answer_with_cores(3);
  }
  SUBCASE("more than there are") {
    site.answer_with_cores(8);
  }
  SUBCASE("where no threads may be packed") {
    site.slurm.script_text.reset();
  }
  const FakeSlurm::Texts before = site.slurm.options;
  const std::string option = site.slurm.script_text ? "" : ",nodes=fewer";
  CHECK(error_of([&] {
          site.submit("auto,threads=auto" + option);
        }).find("its plan gives ranks ") != std::string::npos);
  CHECK(site.slurm.options == before);
  CHECK(site.variable(kCpusPerTaskVariable) == "none");
  CHECK(site.variable(kPlanVariable) == "none");
}

TEST_CASE(
    "a user's own plan of ranks with fewer cores is followed where the job lets threads be "
    "packed") {
  NarrowSite site;
  Plan plan;
  plan.ranks = 16;
  plan.node_pus = 16;
  plan.cores_per_rank = 4;
  plan.packed_cores_per_rank = 2;
  plan.chosen.pattern = "2:2:4";
  plan.chosen.nodes = 2;
  plan.chosen.ranks_per_node = 8;
  plan.reference = plan.chosen;
  plan.reference.nodes = 8;
  for (std::uint32_t rank = 0; rank < 16; ++rank) {
    PuSet pus;
    pus.add(rank % 8 * 2);
    pus.add(rank % 8 * 2 + 1);
    plan.placement.push_back({{rank / 8}, pus});
  }
  save_plan(plan, site.path("own.json"));
  const std::string option = "auto,plan=" + site.path("own.json");
  SUBCASE("it does") {
    site.submit(option + ",threads=auto");
    CHECK(site.slurm.options.at("cpus-per-task") == "2");
    CHECK(site.variable(kCpusPerTaskVariable) == "2/4");
    CHECK(site.variable(kThreadsVariable) == "auto");  // nothing more is tried in it
  }
  SUBCASE("it does not") {
    CHECK(
        error_of([&] { site.submit(option); })
            .ends_with("gives ranks fewer cores than they ask for, and they keep them: its threads "
                       "may not be packed (threads=pack)"));
    CHECK(site.slurm.options.at("cpus-per-task") == "4");
  }
  SUBCASE("its ranks have another number of cores") {
    site.slurm.options["cpus-per-task"] = "8";
    CHECK(error_of([&] {
            site.submit(option + ",threads=auto");
          }).ends_with("is for ranks of 4 cores and the job asks for 8 (--cpus-per-task)"));
  }
}

TEST_CASE("an srun of its own that lets a program bind its ranks has all its CPUs") {
  NarrowSite site;
  site.slurm.script_text = "";
  site.slurm.program_words = {"taskset", "-c", "0-7", "./app"};
  try {
    site.submit("auto,threads=auto", Submitter::kDirectSrun);
  } catch (const Error&) {
    CHECK_FALSE(site.slurm.variables.contains(kPlanVariable));
  }
  CHECK_FALSE(site.request().packs_ranks);
  CHECK(site.slurm.options.at("cpus-per-task") == "4");
}

TEST_CASE("what says how many CPUs a task has is read back, and nothing else is") {
  const auto tasks = parse_narrow_tasks(text_of(NarrowTasks{2, 8}));
  REQUIRE(tasks);
  CHECK(tasks->given == 2);
  CHECK(tasks->asked == 8);
  for (const char* text :
       {"", "2", "/", "2/", "/4", "0/4", "4/4", "8/4", "3/4", "2/4/8", "-2/4", "2/4 "}) {
    CAPTURE(text);
    CHECK_FALSE(parse_narrow_tasks(text));
  }
}

}  // namespace huddle
