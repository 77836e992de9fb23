// Mode advise: what is said, and what is measured for it.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "profiles/vocabulary/environment.hpp"
#include "spank_plugin/submission/submission.hpp"
#include "tests/spank_plugin/submission/submission_site.hpp"

namespace huddle::submission {
namespace {

TEST_CASE("advice is one line, and nothing is changed") {
  SubmissionSite site;
  for (const auto& [action, before] :
       {std::pair(Decision::Action::kApply, ""), std::pair(Decision::Action::kMeasure, ""),
        std::pair(Decision::Action::kLeave, "left as submitted: ")}) {
    site.answer_with(action);
    site.slurm.lines.clear();
    site.submit("advise");
    CHECK(store::get_file(site.path("arguments")) == "plan --request=- --json\n");
    CHECK(site.request().every_pattern);  // so no second run is prepared
    CHECK(site.slurm.lines ==
          std::vector<std::string>{fmt::format("with auto: {}what was decided", before)});
    check_untouched(site);
  }
}

TEST_CASE("advice is for the nodes, the memory and the time that the job would have with auto") {
  SubmissionSite site;
  site.slurm.terms.whole_nodes = false;
  site.slurm.time_limit = Seconds{3600};
  site.slurm.options["mem"] = "8G";
  site.answer_with(Decision::Action::kApply);
  site.submit("advise");
  const PlanRequest request = site.request();
  CHECK(request.shares_nodes);
  CHECK(request.memory_per_rank == Bytes{std::uint64_t{4} << 30U});
  CHECK(request.time_limit == Seconds{3600});
}

TEST_CASE("advice is one line where the site, the script or a program's own words have the mode") {
  SubmissionSite site;
  site.answer_with(Decision::Action::kApply);
  site.put_policy("advise");
  site.submit("none");
  site.slurm.words = {"srun", "-n16", "./app", "--energy-aggregate=advise"};
  site.slurm.program_words = {"./app", "--energy-aggregate=advise"};
  site.submit("advise");
  CHECK(site.slurm.lines ==
        std::vector<std::string>{"with auto: what was decided", "with auto: what was decided"});
}

TEST_CASE("a job that the site has advised is not news if it would be left for its kind") {
  SubmissionSite site;
  site.put_policy("advise");
  site.slurm.options["distribution"] = "cyclic";
  site.submit("none");
  CHECK(site.slurm.lines.empty());
  site.submit("advise");
  REQUIRE(site.slurm.lines.size() == 1);
  CHECK(site.slurm.lines[0].starts_with("with auto: left as submitted: "));
}

TEST_CASE("where the site measures for advice, a job without a profile is measured as in auto") {
  SubmissionSite site;
  site.put_policy("advise", "measure = true");
  site.answer_with(Decision::Action::kMeasure, 8);
  for (const char* option : {"none", "advise"}) {
    site.submit(option);
    CHECK(site.promised() == Treatment::kMeasured);
    CHECK(site.slurm.lines.back() == "what was decided");
    CHECK(site.request().samples == 1U);
    CHECK(site.slurm.variable(kStoreVariable).has_value());
    CHECK(site.slurm.options.at("nodes") == "8");
  }
}

TEST_CASE("where the site measures for advice, no job is packed, or measured on other nodes") {
  SubmissionSite site;
  site.put_policy("advise", "measure = true");
  site.answer_with(Decision::Action::kApply);
  site.submit("none");
  Decision mixed{Decision::Action::kMeasure, "a mixed run", site.path("plan.json"), 2, 8, "mixed"};
  site.answer_with(to_json(mixed));
  site.submit("none");
  CHECK(site.slurm.lines ==
        std::vector<std::string>{"with auto: what was decided", "with auto: a mixed run"});
  check_untouched(site);
}

TEST_CASE("advice that is asked for on the command line is the table") {
  SubmissionSite site;
  site.answer_with("a table\nand a sentence\n");
  site.slurm.words = {"sbatch", "--energy-agg=advise", "job.sh"};
  site.slurm.program_words = {"job.sh"};
  site.submit("advise");
  CHECK(store::get_file(site.path("arguments")) == "plan --request=-\n");
  CHECK(site.request().every_pattern);
  CHECK(site.slurm.lines == std::vector<std::string>{"a table", "and a sentence"});
  check_untouched(site);
}

}  // namespace
}  // namespace huddle::submission
