#include "aggregator/planning/stored_plans.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "aggregator/planning/planner.hpp"
#include "profiles/store/timed_runs.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/planning/planning_site.hpp"

namespace huddle {
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
    const TimedLayout layout{"abc", "/home/ann/app", packed ? plan.chosen.pattern : "",
                             packed ? plan.chosen.nodes : 8};
    ++job;
    store_timed_run(
        folder(), layout,
        {job, fmt::format("{}.0", job), *parse_utc(fmt::format("2026-11-25T00:{:02}:00Z", job)),
         Seconds{seconds}, ""});
  }
  [[nodiscard]] std::vector<std::filesystem::path> plans() const {
    return stored_plans(store, key_of(request));
  }

  std::uint64_t job = 0;
  Plan plan;
  std::filesystem::path file;
};

TEST_CASE("a key's plans are listed, the one used last first, without those of further programs") {
  StoredSite site;
  CHECK(site.plans() == std::vector{site.file});
  save_plan(site.plan, site.folder() + "/" + site.file.stem().string() + "-1.json");
  put_file(site.folder() + "/plan-of-mine.json", "{}");
  CHECK(site.plans() == std::vector{site.file});
  site.request.nodes = 6;
  const std::filesystem::path other = site.answer().decision.plan_file;
  const auto now = std::filesystem::last_write_time(other);
  std::filesystem::last_write_time(site.file, now - std::chrono::hours(1));
  CHECK(site.plans() == std::vector{other, site.file});
  std::filesystem::last_write_time(site.file, now + std::chrono::hours(1));
  CHECK(site.plans() == std::vector{site.file, other});
  site.request.label = "another";
  CHECK(site.plans().empty());
}

TEST_CASE("a note that there is no plan is found by the plan's name, and is the answer") {
  StoredSite site;
  site.request.time_limit = Seconds{1};  // too short for a packed run
  const JobAnswer left = site.answer();
  REQUIRE(left.decision.action == Action::kLeave);
  std::filesystem::remove(site.file);
  const auto plans = site.plans();
  REQUIRE(plans.size() == 1);
  CHECK_FALSE(std::filesystem::exists(plans.front()));
  CHECK(stored_answer(site.store, plans.front(), site.request)->decision.reason ==
        left.decision.reason);
  CHECK_THROWS_AS(last_use_of(site.file), Error);
  CHECK_FALSE(stored_answer(site.store, site.file, site.request));
}

TEST_CASE("a stored plan is answered as a submission is, also once it is withdrawn") {
  StoredSite site;
  site.run(false, 1000);
  CHECK(stored_answer(site.store, site.file, site.request)->decision.reason ==
        site.decision().reason);
  site.run(true, 1400);
  const JobAnswer answer = *stored_answer(site.store, site.file, site.request);
  CHECK(answer.decision.action == Action::kLeave);
  CHECK(answer.decision.reason == site.decision().reason);
}

TEST_CASE("the runs of a plan are counted, as submitted without a packed one, too") {
  StoredSite site;
  CHECK(compared_runs(site.plan, site.file, site.request).as_submitted.jobs == 0);
  site.run(false, 1000);
  site.run(false, 1000);
  ComparedRuns runs = compared_runs(site.plan, site.file, site.request);
  CHECK(runs.as_submitted.jobs == 2);
  CHECK(runs.as_submitted.mean.value == doctest::Approx(1000));
  CHECK(runs.packed.jobs == 0);
  CHECK(runs.packed.mean == Seconds{});
  site.run(true, 1020);
  runs = compared_runs(site.plan, site.file, site.request);
  CHECK(runs.packed.jobs == 1);
  CHECK(runs.packed.mean.value == doctest::Approx(1020));
  CHECK(runs.slowdown == doctest::Approx(0.02));
  CHECK(runs.low < 0.02);
  CHECK(runs.high > 0.02);
  site.request.script = "another";
  CHECK(compared_runs(site.plan, site.file, site.request).as_submitted.jobs == 0);
}

}  // namespace
}  // namespace huddle
