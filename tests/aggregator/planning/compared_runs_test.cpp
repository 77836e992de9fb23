#include "aggregator/planning/planner.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>

#include "profiles/store/timed_runs.hpp"
#include "tests/aggregator/planning/planning_site.hpp"

namespace huddle::planning {
namespace {

using Action = Decision::Action;

/// A site where a program was measured, and whose plan is stored.
struct StoredSite : MeasuredSite {
  StoredSite() {
    const JobAnswer made = answer();
    REQUIRE(made.decision.action == Action::kApply);
    plan = *made.plan;
    file = made.decision.plan_file;
  }
  void run(bool packed, double seconds) {
    const store::TimedLayout layout{"abc", "/home/ann/app", packed ? plan.chosen.pattern : "",
                                    packed ? plan.chosen.nodes : 8};
    ++job;
    store::store_timed_run(
        folder(), layout,
        {job, fmt::format("{}.0", job), *parse_utc(fmt::format("2026-11-25T00:{:02}:00Z", job)),
         Seconds{seconds}, ""});
  }

  std::uint64_t job = 0;
  Plan plan;
  std::filesystem::path file;
};

TEST_CASE("the stored answer to a request is found: a plan, a note in its place, or none") {
  StoredSite site;
  CHECK(answer_file(site.store, site.request) == site.file);
  site.request.nodes = 6;
  CHECK(answer_file(site.store, site.request).empty());
  const std::filesystem::path other = site.answer().decision.plan_file;
  CHECK(other != site.file);
  CHECK(answer_file(site.store, site.request) == other);
  site.request.time_limit = Seconds{1};  // too short for a packed run
  REQUIRE(site.decision().action == Action::kLeave);
  const std::filesystem::path note = answer_file(site.store, site.request);
  CHECK_FALSE(note.empty());
  CHECK_FALSE(std::filesystem::exists(note));
  site.request.label = "another";
  CHECK(answer_file(site.store, site.request).empty());
}

TEST_CASE("the stored answer to a request is found also if it can't be read") {
  StoredSite site;
  store::put_file(site.file.string(), "{");
  CHECK(answer_file(site.store, site.request) == site.file);
}

TEST_CASE("the runs of a plan are counted, as submitted without a packed one, too") {
  StoredSite site;
  CHECK(compared_runs(site.plan, site.file, site.request).runs_as_submitted == 0);
  site.run(false, 1000);
  site.run(false, 1000);
  PromiseVerdict runs = compared_runs(site.plan, site.file, site.request);
  CHECK(runs.runs_as_submitted == 2);
  CHECK(runs.time_as_submitted.value == doctest::Approx(1000));
  CHECK(runs.packed_runs == 0);
  CHECK(runs.packed_time == Seconds{});
  site.run(true, 1020);
  runs = compared_runs(site.plan, site.file, site.request);
  CHECK(runs.packed_runs == 1);
  CHECK(runs.packed_time.value == doctest::Approx(1020));
  CHECK(runs.slowdown == doctest::Approx(0.02));
  CHECK(runs.low < 0.02);
  CHECK(runs.high > 0.02);
  site.request.script = "another";
  CHECK(compared_runs(site.plan, site.file, site.request).runs_as_submitted == 0);
}

}  // namespace
}  // namespace huddle::planning
