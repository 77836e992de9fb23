// Submissions of which something fails, or that are only tested.
#include "spank_plugin/submission/submission.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "profiles/store/job_claim.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"
#include "tests/spank_plugin/submission/submission_site.hpp"

namespace huddle::submission {
namespace {

namespace fs = std::filesystem;

TEST_CASE("whatever fails leaves the job as submitted, and takes back what was set") {
  const std::string by_huddle = "plan failed with status 1: it broke";
  SubmissionSite site;
  site.answer_with("", 1);
  CHECK(error_of([&] { site.submit("auto"); }).ends_with(by_huddle));
  check_untouched(site);
  CHECK(site.promised() == Treatment::kLeft);
  site.answer_with("no decision");
  CHECK_THROWS_AS(site.submit("auto"), FormatError);
  check_untouched(site);
  site.answer_with(Decision::Action::kApply, 9);
  CHECK(error_of([&] { site.submit("auto"); }) ==
        "the plan takes 9 nodes, more nodes than the 8 asked for");
  check_untouched(site);
  site.answer_with(Decision::Action::kApply);
  site.slurm.missing = "the nodes are down";
  CHECK(error_of([&] { site.submit("auto"); }) == "the nodes are down");
  check_untouched(site);
  site.slurm.missing = "";
  site.slurm.refusal = "it would exceed a limit";
  CHECK(error_of([&] { site.submit("auto"); }) ==
        "Slurm would not run it packed: it would exceed a limit");
  check_untouched(site);
  fs::remove(site.path("plan.json"));
  CHECK(error_of([&] { site.submit("auto"); }).starts_with("can't read the plan"));
  check_untouched(site);
  fs::remove(site.path("libhuddle_recorder.so"));
  CHECK(error_of([&] { site.submit("profile"); }).find("can't be read: install it") !=
        std::string::npos);
  check_untouched(site);
  CHECK(site.slurm.lines.empty());  // the wall around the hook says what was thrown
}

TEST_CASE("a huddle that reads nothing, or never ends, does not hold the submission up") {
  SubmissionSite site;
  store::put_file(site.path("huddle"), "#!/bin/sh\nexec <&-\nexit 0\n");
  CHECK_THROWS_AS(site.submit("auto"), FormatError);
  store::put_file(site.path("huddle"), "#!/bin/sh\nsleep 300\n");
  CHECK(error_of([&] { site.submit("auto"); }).ends_with("plan took longer than 2 s"));
  check_untouched(site);
}

TEST_CASE(
    "of jobs with a plan that none has followed yet, one follows it, the others run as submitted") {
  SubmissionSite site;
  Decision decision{Decision::Action::kApply, "packed", site.path("plan.json"), 2, 8, "2:2:2"};
  decision.untried = true;
  decision.claim = site.path("plan.first");
  site.answer_with(to_json(decision));
  site.slurm.options["job-name"] = "halo";
  site.submit("auto");
  CHECK(site.promised() == Treatment::kPacked);
  const store::JobClaim claim = *store::read_claim(decision.claim);
  CHECK(claim.job_name == "halo");
  CHECK(told(site.slurm, kClaimWord).value() == claim.token() + " plan.first");
  site.slurm = {};
  site.slurm.options = {{"nodes", "8"}, {"ntasks", "16"}};
  CHECK(error_of([&] { site.submit("auto"); }) ==
        "the first job that its plan packs has not ended yet; until then others are not");
  check_untouched(site);
  CHECK(site.promised() == Treatment::kLeft);
}

TEST_CASE("Slurm's options are set all or none") {
  for (const char* refused : {"nodes", "ntasks", "ntasks-per-node", "exclusive"}) {
    CAPTURE(refused);
    SubmissionSite site;
    site.answer_with(Decision::Action::kApply);
    site.slurm.refused = refused;
    const std::string error = error_of([&] { site.submit("auto"); });
    CHECK(error == fmt::format("Slurm does not take --{} from a plugin", refused));
    check_untouched(site);
    CHECK(site.slurm.lines.empty());
  }
}

TEST_CASE("a job that is only tested leaves nothing behind") {
  SubmissionSite site;
  site.slurm.options["test-only"] = "";
  site.answer_with(Decision::Action::kMeasure);
  site.submit("auto");
  CHECK(site.request().dry_run);
  CHECK_FALSE(site.request().answer_within.has_value());
  CHECK(fs::is_empty(site.path("store")));
  CHECK_FALSE(told(site.slurm, kOutcomeWord).has_value());
}
}  // namespace
}  // namespace huddle::submission
