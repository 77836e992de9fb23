// Jobs that are drawn to run as submitted, so that packed ones can be compared with them.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "profiles/formats/outcome/control_draw.hpp"
#include "tests/spank_plugin/submission/submission_site.hpp"

namespace huddle::submission {
namespace {

Outcome outcome_of(const SubmissionSite& site) {
  return parse_outcome(told(site.slurm, kOutcomeWord).value(), "outcome");
}

TEST_CASE("of the jobs that would be packed some run as submitted, as their tickets say") {
  int drawn = 0;
  int packed = 0;
  for (int i = 0; i < 200 && (drawn < 3 || packed < 3); ++i) {
    SubmissionSite site;
    site.put_policy("off", "control = 0.3\ncontrol_seed = \"2026\"");
    site.answer_with(Decision::Action::kApply);
    site.submit("auto");
    const Outcome outcome = outcome_of(site);
    REQUIRE(outcome.control.has_value());
    CHECK(outcome.control->share == doctest::Approx(0.3));
    CHECK(outcome.control->nodes == 2);
    CHECK(outcome.control->drawn == (lot_of("2026", outcome.control->ticket) < 0.3));
    ++(outcome.control->drawn ? drawn : packed);
    CHECK(outcome.treatment == (outcome.control->drawn ? Treatment::kLeft : Treatment::kPacked));
    if (!outcome.control->drawn) continue;
    CHECK(site.slurm.options == FakeSlurm::Texts{{"nodes", "8"}, {"ntasks", "16"}});
    CHECK_FALSE(site.slurm.variables.contains(kPlanVariable));
    CHECK(site.slurm.lines ==
          std::vector<std::string>{"left as submitted: drawn for the control group: 30 % of the "
                                   "jobs that would be packed run as submitted"});
  }
  CHECK(drawn >= 3);
  CHECK(packed >= 3);
}

TEST_CASE("nothing is drawn without a control group, and of jobs that are measured") {
  SubmissionSite site;
  Decision::Action action = Decision::Action::kApply;
  SUBCASE("no control group") {}
  SUBCASE("a job that is measured") {
    site.put_policy("off", "control = 0.5");
    action = Decision::Action::kMeasure;
  }
  site.answer_with(action);
  site.submit("auto");
  CHECK_FALSE(outcome_of(site).control.has_value());
}

}  // namespace
}  // namespace huddle::submission
