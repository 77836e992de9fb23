#include "aggregator/operations/accounting/period_summary.hpp"

#include <doctest/doctest.h>

#include <chrono>

namespace huddle::operations {
namespace {

// Job `job` began `days` after 2026-10-30, on `nodes` nodes for `hours`.
ReportedRun timed_run(std::uint64_t job, Treatment treatment, std::uint32_t nodes, double hours,
                      int days = 0) {
  ReportedRun run;
  run.outcome.user = "ann";
  run.outcome.label = "halo";
  run.outcome.ranks = 16;
  run.outcome.treatment = treatment;
  run.outcome.reason = "packed onto 2 of 8 nodes";
  run.outcome.run = OutcomeRun{"site",
                               job,
                               0,
                               std::nullopt,
                               nodes,
                               *parse_utc("2026-10-30") + std::chrono::hours(24 * days) +
                                   std::chrono::seconds(static_cast<int>(job))};
  run.outcome.end = OutcomeEnd{Seconds{3600 * hours}, 0};
  if (treatment == Treatment::kPacked) {
    run.outcome.plan_file = "/plan.json";
    run.outcome.prediction.emplace();
    run.outcome.prediction->reference_nodes = 8;
    run.outcome.prediction->slowdown_bound = 0.05;
  }
  return run;
}

ReportedRun left_run(std::uint64_t job, const std::string& reason) {
  ReportedRun run = timed_run(job, Treatment::kLeft, 1, 1);
  run.outcome.label = "left";
  run.outcome.reason = reason;
  return run;
}

Accounting accounts_of(const std::vector<ReportedRun>& runs, const std::vector<double>& joules) {
  Accounting accounting;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const OutcomeRun& of = *runs[i].outcome.run;
    accounting.steps[{of.cluster, of.job, *of.step}] = {of.start, runs[i].outcome.end->elapsed,
                                                        of.nodes, std::to_string(joules[i])};
    accounting.partitions[{of.cluster, of.job}] = of.job % 2 == 0 ? "even" : "odd";
  }
  return accounting;
}

PeriodSummary summary_of(std::vector<ReportedRun> runs, const Accounting& accounting = {},
                         const Machine* machine = nullptr) {
  return summarize(report_on(
      std::move(runs), accounting, predict::PowerBound{},
      [](const std::string&) { return std::optional<Joules>(); }, machine));
}

TEST_CASE("node-hours are freed of those that the runs would have taken as submitted") {
  const PeriodSummary summary =
      summary_of({timed_run(1, Treatment::kMeasured, 8, 1),
                  timed_run(2, Treatment::kPacked, 2, 1.02), timed_run(3, Treatment::kLeft, 4, 1)});
  CHECK(summary.all.runs == 3);
  CHECK(summary.all.packed == 1);
  CHECK(summary.all.submitted_node_hours == doctest::Approx(8 + 8 + 4));
  CHECK(summary.all.freed_node_hours == doctest::Approx(8 - 2 * 1.02));
  CHECK(summary.all.freed_share() == doctest::Approx((8 - 2 * 1.02) / 20));
  CHECK(RunFigures{}.freed_share() == 0);
}

TEST_CASE("a packed run that nothing is compared with frees nothing") {
  const PeriodSummary summary = summary_of({timed_run(2, Treatment::kPacked, 2, 1)});
  CHECK(summary.all.submitted_node_hours == doctest::Approx(2));
  CHECK(summary.all.freed_node_hours == 0);
}

TEST_CASE("months and partitions have figures of their own, which add up") {
  const std::vector<ReportedRun> runs = {timed_run(1, Treatment::kMeasured, 8, 1),
                                         timed_run(2, Treatment::kPacked, 2, 1, 1),
                                         timed_run(3, Treatment::kPacked, 2, 1, 5)};
  const PeriodSummary summary = summary_of(runs, accounts_of(runs, {4e6, 1e6, 1.5e6}));
  REQUIRE(summary.months.size() == 2);
  CHECK(summary.months[0].name == "2026-10");
  CHECK(summary.months[0].figures.freed_node_hours == doctest::Approx(6));
  CHECK(summary.months[1].name == "2026-11");
  REQUIRE(summary.partitions.size() == 2);
  CHECK(summary.partitions[0].name == "odd");
  CHECK(summary.partitions[0].figures.submitted_node_hours == doctest::Approx(16));
  CHECK(summary.partitions[1].figures.packed == 1);
  CHECK(summary.all.compared_energy == 2);
  CHECK(summary.all.energy_before == Joules{8e6});
  CHECK(summary.all.energy_after == Joules{2.5e6});
  CHECK(!summary.all.machine_saved);
}

TEST_CASE("what the machine saved is less by what unused nodes drew") {
  const std::vector<ReportedRun> runs = {timed_run(1, Treatment::kMeasured, 8, 1),
                                         timed_run(2, Treatment::kPacked, 2, 1)};
  Machine machine;
  machine.power = PowerFigures{};
  machine.power->idle_node = Watts{100};
  const auto saved = [&](std::optional<UnusedNodes> unused) {
    machine.unused_nodes = std::move(unused);
    return summary_of(runs, accounts_of(runs, {4e6, 1e6}), &machine).all.machine_saved;
  };
  CHECK(!saved({}));
  CHECK(*saved(UnusedNodes{{NodeFate::kIdles, {}}, {}, Origin::kGiven, {}}) ==
        Joules{3e6 - 6 * 100 * 3600});
  CHECK(*saved(UnusedNodes{{NodeFate::kSleeps, {}}, {}, Origin::kGiven, {}}) == Joules{3e6});
  // The partition's own rule counts.
  CHECK(*saved(UnusedNodes{{NodeFate::kIdles, {}},
                           {{{NodeFate::kSleeps, {1800}}, 4, {"even"}}},
                           Origin::kGiven,
                           {}}) == Joules{3e6 - 6 * 100 * 1800});
}

TEST_CASE("promises are counted, and the run that broke its bound by most is named") {
  const PeriodSummary summary = summary_of(
      {timed_run(1, Treatment::kMeasured, 8, 1), timed_run(2, Treatment::kPacked, 2, 1.02),
       timed_run(3, Treatment::kPacked, 2, 1.2), timed_run(4, Treatment::kPacked, 2, 1.3),
       timed_run(5, Treatment::kPacked, 2, 1.25)});
  CHECK(summary.all.kept == 1);
  CHECK(summary.all.broken == 3);
  CHECK(summary.worst == 3);
  CHECK(!summary_of({timed_run(1, Treatment::kMeasured, 8, 1)}).worst);
}

TEST_CASE("measuring costs what measured runs took, and second ones more than as submitted") {
  ReportedRun second = timed_run(2, Treatment::kMeasured, 4, 1.5);
  second.outcome.plan_file = "/sample.json";
  second.outcome.prediction.emplace();
  second.outcome.prediction->reference_nodes = 8;
  const MeasuringCost cost =
      summary_of({timed_run(1, Treatment::kMeasured, 8, 1), second}).measuring;
  CHECK(cost.runs == 2);
  CHECK(cost.node_hours == doctest::Approx(8 + 6));
  CHECK(cost.second_runs == 1);
  CHECK(cost.second_node_hours == doctest::Approx(6 - 8));
  CHECK(cost.second_time == Seconds{1800});
}

TEST_CASE("reasons of one kind count together, and the commonest five come first") {
  std::vector<ReportedRun> runs;
  std::uint64_t job = 0;
  for (int i = 0; i < 3; ++i)
    runs.push_back(left_run(++job, "no fewer nodes: " + std::to_string(i) + " would take longer"));
  for (const char* const reason : {"a", "b", "c", "d", "e", "e"})
    runs.push_back(left_run(++job, reason));
  const PeriodSummary summary = summary_of(runs);
  REQUIRE(summary.left.size() == 5);
  CHECK(summary.left[0].reason == "no fewer nodes");
  CHECK(summary.left[0].runs == 3);
  CHECK(summary.left[0].node_hours == doctest::Approx(3));
  CHECK(summary.left[1].reason == "e");
  CHECK(summary.left_otherwise.runs == 1);
}

TEST_CASE("a reason's kind has neither its figures nor its details") {
  CHECK(kind_of_reason("no fewer nodes: 3 would take +3.1 % time") == "no fewer nodes");
  CHECK(kind_of_reason("you place the ranks yourself (--distribution)") ==
        "you place the ranks yourself");
  CHECK(kind_of_reason("12 tasks on 3.5 nodes") == "N tasks on N nodes");
  CHECK(kind_of_reason("it ends at 5.") == "it ends at N.");
  CHECK(kind_of_reason("").empty());
}

}  // namespace
}  // namespace huddle::operations
