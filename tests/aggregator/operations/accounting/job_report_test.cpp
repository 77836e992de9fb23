#include "aggregator/operations/accounting/job_report.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>

#include "aggregator/operations/accounting/stored_runs.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::operations {
namespace {

const UtcTime kBegin = *parse_utc("2026-11-22");

// Job `job` began `job` hours after kBegin.
ReportedRun run_of(std::uint64_t job, Treatment treatment, std::uint32_t nodes, double elapsed_s) {
  ReportedRun run;
  run.outcome.user = "ann";
  run.outcome.label = "halo";
  run.outcome.ranks = 16;
  run.outcome.treatment = treatment;
  run.outcome.run = OutcomeRun{
      "site", job, 0, std::nullopt, nodes, kBegin + std::chrono::hours(static_cast<int>(job))};
  run.outcome.end = OutcomeEnd{Seconds{elapsed_s}, 0};
  if (treatment == Treatment::kPacked) {
    run.outcome.plan_file = "/plan.json";
    run.outcome.prediction.emplace();
    run.outcome.prediction->reference_nodes = 8;
    run.outcome.prediction->energy = Joules{1};  // far off: predictions must not be added up
    run.outcome.prediction->reference_energy = Joules{1e9};
  }
  return run;
}

void account(Accounting& accounting, const ReportedRun& run, const std::string& energy) {
  const OutcomeRun& of = *run.outcome.run;
  accounting.steps[{of.cluster, of.job, *of.step}] = {
      of.start, run.outcome.end ? run.outcome.end->elapsed : Seconds{0}, of.nodes, energy};
}

std::optional<Joules> no_profile(const std::string&) {
  return std::nullopt;
}

JobReport report_of(std::vector<ReportedRun> runs, const Accounting& accounting = {}) {
  return report_on(std::move(runs), accounting, predict::PowerBound{}, no_profile);
}

TEST_CASE("a packed run is compared with the run before it on the nodes asked for") {
  const JobReport report =
      report_of({run_of(4, Treatment::kPacked, 2, 110), run_of(1, Treatment::kMeasured, 8, 90),
                 run_of(2, Treatment::kMeasured, 8, 100), run_of(3, Treatment::kLeft, 4, 95)});
  REQUIRE(report.runs.size() == 4);
  const ReportedRun& packed = report.runs[3];
  REQUIRE(packed.compared_with == 1);
  CHECK(packed.slowdown(report.runs[1]) == doctest::Approx(0.1));
  CHECK(packed.saved->node_hours == doctest::Approx((8 * 100.0 - 2 * 110.0) / 3600));
  CHECK(packed.saved->time == Seconds{-10});
  CHECK_FALSE(packed.saved->energy);
  CHECK(report.total.compared == 1);
  CHECK(report.total.compared_energy == 0);
  CHECK(report.total.saved.energy == Joules{0});
}

TEST_CASE("the charge of a packed run stands beside that of the run it is compared with") {
  const ReportedRun reference = run_of(1, Treatment::kMeasured, 8, 3600);
  ReportedRun by_mpirun = run_of(3, Treatment::kPacked, 2, 3600);
  by_mpirun.outcome.run->step.reset();
  Accounting accounting;
  accounting.billing = {{{"site", 1}, 64}, {{"site", 2}, 16}, {{"site", 3}, 16}};
  account(accounting, reference, "");
  SUBCASE("of srun") {
    const ReportedRun packed = run_of(2, Treatment::kPacked, 2, 3960);
    account(accounting, packed, "");
    const JobReport report = report_of({reference, packed}, accounting);
    CHECK(report.runs[1].charge == doctest::Approx(17.6));
    CHECK(report.runs[1].saved->charge == doctest::Approx(64 - 17.6));
    CHECK(report.total.compared_charge == 1);
    CHECK(report.total.charge == doctest::Approx(17.6));
  }
  SUBCASE("of mpirun, whose job is known") {
    CHECK(report_of({by_mpirun}, accounting).runs[0].charge == doctest::Approx(16));
  }
  SUBCASE("not that of another job that had this number") {
    ReportedRun other = run_of(2, Treatment::kPacked, 2, 3960);
    account(accounting, other, "");
    other.outcome.run->start += std::chrono::hours(24);
    const JobReport report = report_of({reference, other}, accounting);
    CHECK_FALSE(report.runs[1].charge);
    CHECK(report.total.compared == 1);
    CHECK(report.total.compared_charge == 0);
  }
}

TEST_CASE("the slowdown of a run that a plan laid out to be measured is told, and is no saving") {
  ReportedRun second = run_of(2, Treatment::kMeasured, 3, 130);
  second.outcome.plan_file = "/sample.json";
  second.outcome.prediction.emplace();
  second.outcome.prediction->reference_nodes = 8;
  const JobReport report = report_of({run_of(1, Treatment::kMeasured, 8, 100), second});
  REQUIRE(report.runs[1].compared_with == 0);
  CHECK(report.runs[1].slowdown(report.runs[0]) == doctest::Approx(0.3));
  CHECK_FALSE(report.runs[1].saved);
  CHECK(report.total.compared == 0);
}

TEST_CASE("a grouped run, which has the nodes asked for, is compared with another on as many") {
  const JobReport report =
      report_of({run_of(1, Treatment::kMeasured, 4, 100), run_of(2, Treatment::kMeasured, 8, 100),
                 run_of(3, Treatment::kGrouped, 4, 90), run_of(4, Treatment::kGrouped, 4, 90)});
  CHECK(report.runs[2].compared_with == 0);
  CHECK(report.runs[3].compared_with == 0);
  CHECK(report.runs[2].saved->time == Seconds{10});
  CHECK(report.total.grouped == 2);
  CHECK(report.total.packed == 0);
}

TEST_CASE("without a run before it, the first one behind it is taken") {
  const JobReport report =
      report_of({run_of(1, Treatment::kPacked, 2, 100), run_of(2, Treatment::kLeft, 8, 100),
                 run_of(3, Treatment::kMeasured, 8, 100)});
  CHECK(report.runs[0].compared_with == 1);
}

/// As run_of(), of a plan that predicted no change, between 5 % less time and 5 % more.
ReportedRun predicted(std::uint64_t job, double elapsed_s) {
  ReportedRun run = run_of(job, Treatment::kPacked, 2, elapsed_s);
  OutcomePrediction& prediction = *run.outcome.prediction;
  prediction.time = prediction.reference_time = Seconds{1000};
  prediction.time_low = Seconds{950};
  prediction.time_high = Seconds{1050};
  prediction.slowdown_bound = 0.05;
  return run;
}

TEST_CASE("a run that took less time than packing explains is no saving") {
  const JobReport report = report_of({run_of(1, Treatment::kMeasured, 8, 1000), predicted(2, 472),
                                      predicted(3, 470), predicted(4, 960)});
  CHECK(report.runs[1].is_unexplained);
  CHECK_FALSE(report.runs[1].compared_with);
  CHECK_FALSE(report.runs[1].kept_bound);
  CHECK(report.runs[3].compared_with == 0);
  CHECK(report.total.unexplained == 2);
  CHECK(report.total.compared == 1);
  CHECK(report.total.saved.time == Seconds{40});
}

TEST_CASE("where the program's work has changed, the run as submitted that follows is compared") {
  JobReport report = report_of({run_of(1, Treatment::kMeasured, 8, 1000), predicted(2, 472),
                                run_of(3, Treatment::kLeft, 8, 480)});
  CHECK(report.runs[1].compared_with == 2);
  CHECK(report.runs[1].saved->time == Seconds{8});
  report = report_of({run_of(1, Treatment::kMeasured, 8, 1000), predicted(2, 2000),
                      run_of(3, Treatment::kLeft, 8, 1990)});
  CHECK(report.runs[1].compared_with == 2);
  CHECK(report.runs[1].kept_bound == true);
  report = report_of({run_of(1, Treatment::kMeasured, 8, 1000), predicted(2, 2000),
                      run_of(3, Treatment::kLeft, 8, 1000)});
  CHECK(report.runs[1].compared_with == 0);
  CHECK(report.runs[1].kept_bound == false);
}

TEST_CASE("what packing makes so fast again and again, between runs that are alike, is a saving") {
  std::vector<ReportedRun> runs = {run_of(1, Treatment::kMeasured, 8, 1000), predicted(2, 472),
                                   run_of(3, Treatment::kLeft, 8, 1010)};
  CHECK(report_of(runs).total.unexplained == 1);
  runs.push_back(predicted(4, 475));
  runs.push_back(run_of(5, Treatment::kLeft, 8, 990));
  CHECK(report_of(runs).total.unexplained == 0);
  CHECK(report_of(runs).total.compared == 2);
}

TEST_CASE("only like is compared with like") {
  const auto compares = [](void (*change)(ReportedRun & reference)) {
    ReportedRun reference = run_of(1, Treatment::kMeasured, 8, 100);
    change(reference);
    const JobReport report = report_of({reference, run_of(2, Treatment::kPacked, 2, 100)});
    return report.total.compared == 1;
  };
  CHECK(compares([](ReportedRun&) {}));
  CHECK_FALSE(compares([](ReportedRun& r) { r.outcome.label = "other"; }));
  CHECK_FALSE(compares([](ReportedRun& r) { r.outcome.user = "bob"; }));
  CHECK_FALSE(compares([](ReportedRun& r) { r.outcome.ranks = 8; }));
  CHECK_FALSE(compares([](ReportedRun& r) { r.outcome.run->cluster = "other"; }));
  CHECK_FALSE(compares([](ReportedRun& r) { r.outcome.run->nodes = 7; }));
  CHECK_FALSE(compares([](ReportedRun& r) { r.outcome.run->step = std::nullopt; }));  // mpirun
  CHECK_FALSE(compares([](ReportedRun& r) { r.outcome.run->step = 1; }));
  CHECK_FALSE(compares([](ReportedRun& r) { r.outcome.plan_file = "/sample.json"; }));
  CHECK_FALSE(compares([](ReportedRun& r) { r.outcome.frequencies_set = true; }));
  CHECK_FALSE(compares([](ReportedRun& r) { r.outcome.end->status = 1; }));
  CHECK_FALSE(compares([](ReportedRun& r) { r.outcome.end = std::nullopt; }));
}

TEST_CASE("the steps of a script may be of other programs: each is compared with its own kind") {
  const auto of_step = [](ReportedRun run, std::optional<std::uint32_t> step, int minute) {
    run.outcome.run->step = step;
    run.outcome.run->start += std::chrono::minutes(minute);
    return run;
  };
  const ReportedRun measured = run_of(1, Treatment::kMeasured, 8, 100);
  const ReportedRun packed = run_of(2, Treatment::kPacked, 2, 100);
  SUBCASE("srun's by their number") {
    const JobReport report = report_of(
        {measured, of_step(measured, 1, 1), packed, of_step(packed, 1, 1), of_step(packed, 2, 2)});
    CHECK(report.runs[2].compared_with == 0);
    CHECK(report.runs[3].compared_with == 1);
    CHECK_FALSE(report.runs[4].compared_with);
  }
  SUBCASE("those of mpirun, which have none, by their order in the job") {
    const JobReport report =
        report_of({of_step(measured, std::nullopt, 0), of_step(measured, std::nullopt, 1),
                   of_step(packed, std::nullopt, 0), of_step(packed, std::nullopt, 1)});
    CHECK(report.runs[2].compared_with == 0);
    CHECK(report.runs[3].compared_with == 1);
  }
}

TEST_CASE("a run that failed or has no end saves nothing, and is counted as such") {
  ReportedRun failed = run_of(2, Treatment::kPacked, 2, 1);
  failed.outcome.end->status = 137;
  ReportedRun lost = run_of(3, Treatment::kPacked, 2, 1);
  lost.outcome.end = std::nullopt;
  const JobReport report = report_of({run_of(1, Treatment::kMeasured, 8, 100), failed, lost});
  CHECK(report.total.packed == 2);
  CHECK(report.total.failed == 1);
  CHECK(report.total.unknown_end == 1);
  CHECK(report.total.compared == 0);
}

TEST_CASE("energy is saved where accounting knows that of both runs") {
  const ReportedRun reference = run_of(1, Treatment::kMeasured, 8, 100);
  const ReportedRun packed = run_of(2, Treatment::kPacked, 2, 110);
  Accounting accounting;
  account(accounting, reference, "80000");
  account(accounting, packed, "30000");
  const JobReport report = report_of({reference, packed}, accounting);
  CHECK(report.runs[1].saved->energy == Joules{50000});
  CHECK(report.by_label.at("halo").saved.energy == Joules{50000});
  CHECK(report.total.compared_energy == 1);
}

TEST_CASE("implausible energies are marked and not added up") {
  const ReportedRun reference = run_of(1, Treatment::kMeasured, 8, 100);
  for (const char* energy : {"18446744073709500000", "-5", "1"}) {
    CAPTURE(energy);
    Accounting accounting;
    account(accounting, reference, "80000");
    account(accounting, run_of(2, Treatment::kPacked, 2, 110), energy);
    account(accounting, run_of(3, Treatment::kPacked, 2, 110), "30000");
    const JobReport report = report_of(
        {reference, run_of(2, Treatment::kPacked, 2, 110), run_of(3, Treatment::kPacked, 2, 110)},
        accounting);
    CHECK_FALSE(report.runs[1].energy);
    CHECK_FALSE(report.runs[1].energy_doubt.empty());
    CHECK_FALSE(report.runs[1].saved->energy);
    CHECK(report.total.doubted == 1);
    CHECK(report.total.compared == 2);
    CHECK(report.total.compared_energy == 1);
    CHECK(report.total.saved.energy == Joules{50000});
  }
}

TEST_CASE("a job that was given the same number again is not taken for it") {
  const ReportedRun run = run_of(1, Treatment::kMeasured, 8, 100);
  Accounting accounting;
  account(accounting, run, "80000");
  auto& step = accounting.steps.begin()->second;
  *step.start += std::chrono::seconds(30);  // clocks differ
  CHECK(report_of({run}, accounting).runs[0].energy == Joules{80000});
  *step.start += std::chrono::hours(1);
  CHECK_FALSE(report_of({run}, accounting).runs[0].energy);
}

TEST_CASE("a profile's meters speak where accounting does not, and count for no saving") {
  ReportedRun reference = run_of(1, Treatment::kMeasured, 8, 100);
  reference.outcome.profile_file = "/p.json";
  const ReportedRun packed = run_of(2, Treatment::kPacked, 2, 100);
  Accounting accounting;
  account(accounting, packed, "30000");
  const JobReport report = report_on({reference, packed}, accounting, predict::PowerBound{},
                                     [](const std::string& file) {
                                       CHECK(file == "/p.json");
                                       return std::optional(Joules{70000});
                                     });
  CHECK(report.runs[0].energy == Joules{70000});
  CHECK(report.runs[0].energy_source == EnergySource::kProfile);
  CHECK_FALSE(report.runs[1].saved->energy);
}

TEST_CASE("what the nodes' daemons counted comes before accounting, and is saved if both have it") {
  ReportedRun reference = run_of(1, Treatment::kMeasured, 8, 100);
  reference.by_daemons = store::StepEnergy{Joules{70000}, Joules{0}};
  ReportedRun packed = run_of(2, Treatment::kPacked, 2, 100);
  Accounting accounting;
  account(accounting, reference, "71000");
  account(accounting, packed, "30000");
  CHECK_FALSE(report_of({reference, packed}).runs[1].saved->energy);
  CHECK(report_of({reference, packed}, accounting).runs[1].saved->energy == Joules{41000});
  packed.by_daemons = store::StepEnergy{Joules{20000}, Joules{5000}};
  const JobReport report = report_of({reference, packed}, accounting);
  CHECK(report.runs[0].energy == Joules{70000});
  CHECK(report.runs[1].energy == Joules{25000});
  CHECK(report.runs[1].energy_source == EnergySource::kDaemon);
  CHECK(report.total.saved.energy == Joules{45000});
}

TEST_CASE("a figure of daemons that nodes can't draw is doubted") {
  ReportedRun run = run_of(1, Treatment::kMeasured, 1, 100);
  run.by_daemons = store::StepEnergy{Joules{1e9}, Joules{0}};
  const JobReport report = report_of({run});
  CHECK_FALSE(report.runs[0].energy);
  CHECK(report.total.doubted == 1);
}

TEST_CASE("runs outside the period are compared with, and not added up") {
  ReportedRun reference = run_of(1, Treatment::kMeasured, 8, 100);
  reference.wanted = false;
  const JobReport report = report_of({reference, run_of(2, Treatment::kPacked, 2, 100)});
  CHECK(report.total.measured == 0);
  CHECK(report.total.packed == 1);
  CHECK(report.total.compared == 1);
}

TEST_CASE("a compared run kept the bound of its plan or broke it, within 2 s of starting a job") {
  const auto kept = [](double elapsed_s, std::optional<double> bound) {
    ReportedRun packed = run_of(2, Treatment::kPacked, 2, elapsed_s);
    packed.outcome.prediction->slowdown_bound = bound;
    const JobReport report = report_of({run_of(1, Treatment::kMeasured, 8, 100), packed});
    CHECK(report.total.kept == (report.runs[1].kept_bound == true ? 1U : 0U));
    CHECK(report.total.broken == (report.runs[1].kept_bound == false ? 1U : 0U));
    return report.runs[1].kept_bound;
  };
  CHECK(kept(104, 0.05) == true);
  CHECK(kept(106.9, 0.05) == true);
  CHECK(kept(107.1, 0.05) == false);
  CHECK(kept(104, 0.01) == false);
  CHECK_FALSE(kept(104, std::nullopt));
}

TEST_CASE("a record with times beyond all numbers is compared with nothing") {
  const ReportedRun reference = run_of(1, Treatment::kMeasured, 8, 1e308);
  const JobReport report = report_of({reference, run_of(2, Treatment::kPacked, 2, 100)});
  CHECK(report.total.packed == 1);
  CHECK(report.total.compared == 0);
  CHECK(report.total.saved.node_hours == 0);
}

TEST_CASE("sums of several users are by user and label, and those of a label are of all of them") {
  ReportedRun of_bob = run_of(3, Treatment::kMeasured, 8, 100);
  of_bob.outcome.user = "bob";
  const JobReport report = report_of(
      {run_of(1, Treatment::kMeasured, 8, 100), run_of(2, Treatment::kPacked, 2, 100), of_bob});
  REQUIRE(report.by_user.size() == 2);
  CHECK(report.by_user.at("ann").by_label.at("halo").measured == 1);
  CHECK(report.by_user.at("ann").total.compared == 1);
  CHECK(report.by_user.at("bob").total.measured == 1);
  CHECK(report.by_label.at("halo").measured == 2);
  CHECK(report.total.measured == 2);
}

TEST_CASE("the records of all users are theirs, whatever user they name") {
  const store::TemporaryDirectory root;
  const store::Store store(root.path());
  store::put_file(store.make_folder({store::current_user(), "halo", 16}) /
                      store::Store::outcome_name("1.0", kBegin),
                  to_json(run_of(1, Treatment::kMeasured, 8, 100).outcome));
  std::filesystem::create_directories(root.path() / "of-no-user" / "halo" / "16");
  const StoredRunsOfAll all = stored_runs_of_all(store, {}, {}, [](std::size_t, std::size_t) {});
  REQUIRE(all.runs.size() == 1);
  CHECK(all.runs[0].outcome.user == store::current_user());  // and not ann
  CHECK(all.unread_users.empty());
  CHECK(all.folders_passed_over.size() == 1);
}

TEST_CASE("jobs are asked for once each, by cluster, also where steps have no numbers") {
  std::vector<ReportedRun> runs = {
      run_of(3, Treatment::kMeasured, 8, 10), run_of(2, Treatment::kPacked, 4, 10),
      run_of(3, Treatment::kPacked, 4, 10), run_of(4, Treatment::kLeft, 8, 10)};
  runs[3].outcome.run->step.reset();
  CHECK(jobs_of(runs) == std::map<std::string, std::vector<std::uint64_t>>{{"site", {2, 3, 4}}});
}

TEST_CASE("a period holds its begin, and not its end") {
  const Period period{kBegin, kBegin + std::chrono::hours(1)};
  CHECK(period.holds(kBegin));
  CHECK_FALSE(period.holds(kBegin + std::chrono::hours(1)));
  CHECK_FALSE(period.holds(kBegin - std::chrono::hours(1)));
  CHECK(Period{}.holds(kBegin));
}

}  // namespace
}  // namespace huddle::operations
