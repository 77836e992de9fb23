// Jobs of sites whose nodes are shared, where cores are charged and not nodes.

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "profiles/vocabulary/step_words.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"
#include "tests/spank_plugin/submission/submission_site.hpp"

namespace huddle::submission {
namespace {

struct SharedSite : SubmissionSite {
  SharedSite() {
    slurm.terms.whole_nodes = false;
    answer_with(Decision::Action::kApply);
  }
};

TEST_CASE(
    "on shared nodes a packed job asks for no more cores than before, and for no whole nodes") {
  SharedSite site;
  site.submit("auto");
  CHECK(site.request().shares_nodes);
  CHECK(site.slurm.options == FakeSlurm::Texts{{"nodes", "2"},
                                               {"ntasks", "16"},
                                               {"ntasks-per-node", "8"},
                                               {"comment", "huddle:packed 8->2 2:2:2"}});
  CHECK(told(site.slurm, kSharedNodesWord) == "1");
  CHECK_FALSE(site.slurm.needed.whole);
}

TEST_CASE("nodes are not shared with others where the job or its site has whole ones") {
  SharedSite asked;
  asked.slurm.options["exclusive"] = "exclusive";
  asked.submit("auto");
  CHECK_FALSE(asked.request().shares_nodes);
  CHECK(asked.slurm.options.contains("exclusive"));
  CHECK_FALSE(told(asked.slurm, kSharedNodesWord));
  SharedSite paid;
  paid.put_policy("off", "[limits]\nhigher_charge = true");
  paid.submit("auto");
  CHECK_FALSE(paid.request().shares_nodes);
  CHECK(paid.slurm.options.contains("exclusive"));
  SharedSite with_own_jobs;
  with_own_jobs.slurm.options["exclusive"] = "user";
  with_own_jobs.submit("auto");
  CHECK(with_own_jobs.request().shares_nodes);
  CHECK(with_own_jobs.slurm.options.at("exclusive") == "user");
}

TEST_CASE("a job with whole nodes is not told that they are shared by the job that submits it") {
  SubmissionSite site;
  tell(site.slurm, kSharedNodesWord, "1");
  site.answer_with(Decision::Action::kApply);
  site.submit("auto");
  CHECK_FALSE(told(site.slurm, kSharedNodesWord));
}

TEST_CASE("on shared nodes ranks take the memory along that they had") {
  SharedSite by_node;
  by_node.slurm.options["mem"] = "8G";
  by_node.submit("auto");
  CHECK(by_node.slurm.options.at("mem") == "32768M");  // 8 ranks where there were 2
  SharedSite by_cpu;
  by_cpu.slurm.options["mem-per-cpu"] = "2G";
  by_cpu.submit("auto");
  CHECK(by_cpu.slurm.options.at("mem-per-cpu") == "2G");
  CHECK_FALSE(by_cpu.slurm.options.contains("mem"));
  SharedSite by_site;
  by_site.slurm.terms.memory = Bytes{std::uint64_t{8} << 30U};
  by_site.submit("auto");
  CHECK(by_site.slurm.options.at("mem") == "32768M");
}

TEST_CASE("whole nodes' memory is not taken where it is charged") {
  SubmissionSite site;
  site.slurm.terms.charges_memory = true;
  site.slurm.options["mem"] = "8G";
  site.answer_with(Decision::Action::kApply);
  site.submit("auto");
  CHECK(site.slurm.options.contains("exclusive"));
  CHECK(site.slurm.options.at("mem") == "32768M");
}

TEST_CASE("on shared nodes each rank has a core of its own, unless the job says more of threads") {
  SharedSite site;
  site.slurm.several_threads = true;
  SUBCASE("where Slurm would give its threads to several") {
    site.submit("auto");
    CHECK(site.slurm.options.at("ntasks-per-core") == "1");
  }
  SUBCASE("as a hint has it") {
    site.slurm.options["hint"] = "nomultithread";
    site.submit("auto");
    CHECK_FALSE(site.slurm.options.contains("ntasks-per-core"));
  }
}

TEST_CASE("a plan with unlike numbers of ranks on its nodes is not for shared ones") {
  SharedSite site;
  site.answer_with(Decision::Action::kApply, 3);
  CHECK(error_of([&] { site.submit("auto"); }) ==
        "its nodes are shared, and the plan has fewer ranks on one than on others");
  check_untouched(site);
}

}  // namespace
}  // namespace huddle::submission
