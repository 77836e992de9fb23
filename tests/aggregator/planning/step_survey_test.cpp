#include "aggregator/planning/detail/samples/step_survey.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/aggregator/planning/recorded_site.hpp"

namespace huddle::planning {
namespace {

using Action = Decision::Action;

TEST_CASE("a job whose steps can all be steered gets its plan") {
  const RecordedSite site;
  site.measure(7);
  site.record(7, 0, step(3), OutcomeEnd{Seconds{2}, 0});
  site.record(7, 1, step({}, "", "app"), OutcomeEnd{Seconds{2}, 0});
  CHECK(site.decision().action == Action::kApply);
}

TEST_CASE("a job stays as it is if steps of several tasks that nobody measured took long in it") {
  RecordedSite site;
  site.measure(7);
  site.record(7, 0, step(4, "", "convert"), OutcomeEnd{Seconds{4}, 0, Seconds{4}});
  site.record(7, 2, step(4, "", "convert"), OutcomeEnd{Seconds{5}, 0, Seconds{109}});
  CHECK(site.decision().action == Action::kLeave);
  CHECK(site.reason() ==
        "its steps of convert took 9 s and were not measured: what they would take on fewer nodes "
        "is unknown");
  site.request.steps_are_safe = true;
  CHECK(site.decision().action == Action::kApply);
  site.request.steps_are_safe = false;
  site.request.slowdown = 0.1;  // of 109 s
  CHECK(site.decision().action == Action::kApply);
  const RecordedSite one_task;
  one_task.measure(7);
  one_task.record(7, 0, step(1, "", "convert"), OutcomeEnd{Seconds{50}, 0, Seconds{60}});
  CHECK(one_task.decision().action == Action::kApply);
}

TEST_CASE("a step that was placed by its user keeps the job as it was submitted") {
  const RecordedSite site;
  site.measure(7);
  site.record(7, 0, step(8, "--ntasks-per-node"));
  site.record(7, 1, step({}, "", "app"));
  CHECK(site.decision().action == Action::kLeave);
  CHECK(site.reason() == "in the measured run its step of setup was placed by --ntasks-per-node");
  CHECK(site.reason() == "in the measured run its step of setup was placed by --ntasks-per-node");
  RecordedSite safe;
  safe.measure(7);
  safe.record(7, 0, step(8, "--ntasks-per-node"));
  safe.request.steps_are_safe = true;
  CHECK(safe.decision().action == Action::kApply);
  const RecordedSite other;
  other.measure(7);
  other.record(71, 0, step(8, "--nodes"));  // another job's
  CHECK(other.decision().action == Action::kApply);
}

TEST_CASE(
    "a measured mpirun that followed a plan was placed by that plan, whatever its record says") {
  const RecordedSite site;
  site.measure(7);
  site.record(7, 1, step({}, "OMPI_MCA_orte_rankfile", "mpirun"), OutcomeEnd{Seconds{9}, 0},
              "/store/mixed-plan.json");
  CHECK(site.decision().action == Action::kApply);
}

TEST_CASE("an mpirun whose number of ranks is unknown keeps the job as it was submitted") {
  const RecordedSite site;
  site.measure(7);
  site.record(7, 0, step(0, "", "mpirun"));
  CHECK(site.reason() == "in the measured run the number of ranks of mpirun was not known");
}

TEST_CASE("two measured runs without a profile are enough") {
  const RecordedSite site;
  site.record(7, 0, step(4, "", "app"));
  CHECK(site.decision().action == Action::kMeasure);
  site.record(8, 0, step(4, "", "app"));
  CHECK(site.decision().action == Action::kLeave);
  CHECK(site.reason() ==
        "2 measured runs had no step of 8 ranks that left a profile, but one with 4 tasks of app; "
        "profile measures it again");
}

TEST_CASE("runs that have not ended, or were not measured, are no such runs") {
  const RecordedSite site;
  site.record(7, 0, step(4), std::nullopt);
  site.record(8, 0, step(4), std::nullopt);
  CHECK(site.decision().action == Action::kMeasure);
}

TEST_CASE("a job must have time enough for its plan") {
  RecordedSite site;
  site.measure(7);
  site.record(7, 1, step({}, "", "app"), OutcomeEnd{Seconds{40}, 0, Seconds{53}});
  site.request.time_limit = Seconds{60};
  CHECK(site.decision().action == Action::kLeave);
  CHECK(site.reason().ends_with("s, and its time limit is 60 s"));
  CHECK(site.reason().starts_with("packed it might take 6"));
  site.request.time_limit = Seconds{120};
  CHECK(site.decision().action == Action::kApply);
  site.request.time_limit = std::nullopt;
  CHECK(site.decision().action == Action::kApply);
}

}  // namespace
}  // namespace huddle::planning
