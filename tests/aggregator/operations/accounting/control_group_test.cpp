#include "aggregator/operations/accounting/control_group.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "profiles/formats/outcome/control_draw.hpp"

namespace huddle::operations {
namespace {

/// A site whose programs drift and whose load changes: each job takes what its program takes on
/// that day, give or take, and half of them were measured before.
class DriftingSite {
 public:
  DriftingSite(std::uint64_t seed, double share) : random_(seed), share_(share) {
    saving_ = uniform(-0.1, 0.5);
    noise_ = uniform(0.02, 0.3);
    drift_ = uniform(-0.5, 0.5);
    spread_ = uniform(0.2, 1);
  }

  /// The next job of `jobs`, and in `truth` what packing it saves.
  DrawnJob next(double progress, double& truth) {
    const double load = 1 + 0.3 * std::sin(20 * progress);
    const double usual = std::exp(spread_ * normal()) * (1 + drift_ * progress) * load;
    const double as_submitted = usual * std::exp(noise_ * normal());
    const double packed = usual * (1 - saving_) * std::exp(noise_ * normal());
    truth += as_submitted - packed;
    DrawnJob job{share_, uniform(0, 1) < share_, 0, 0, 0};
    job.node_hours = job.is_control ? as_submitted : packed;
    if (uniform(0, 1) < 0.5) {
      job.expected_as_submitted = usual * std::exp(0.2 * normal());
      job.expected_packed = job.expected_as_submitted * 0.7;
    }
    return job;
  }

 private:
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  double normal() { return std::normal_distribution<double>()(random_); }

  std::mt19937_64 random_;
  double share_;
  double saving_ = 0;
  double noise_ = 0;
  double drift_ = 0;
  double spread_ = 0;
};

// True if the interval held the truth at every look, one after each 20 jobs.
bool holds_at_each_look(std::uint64_t seed) {
  constexpr std::size_t kJobs = 1500;
  constexpr std::size_t kLook = 20;
  DriftingSite site(seed, 0.05);
  std::vector<DrawnJob> jobs;
  double truth = 0;
  for (std::size_t i = 0; i < kJobs; ++i) {
    jobs.push_back(site.next(static_cast<double>(i) / kJobs, truth));
    if (jobs.size() % kLook != 0) continue;
    const ControlledSaving saving = controlled_saving(jobs);
    if (!saving.saved_node_hours) continue;
    if (truth < saving.low_node_hours || truth > saving.high_node_hours) return false;
  }
  return true;
}

TEST_CASE("the interval holds the true saving of drifting sites at every look") {
  constexpr std::size_t kSites = 2000;
  std::size_t held = 0;
  for (std::uint64_t seed = 1; seed <= kSites; ++seed)
    if (holds_at_each_look(seed)) ++held;
  MESSAGE("held at every look: ", held, " of ", kSites);
  CHECK(held >= kSites * 88 / 100);
}

// A run of the job `job` in hours after 2026-11-01, in a draw or, without a ticket, in none.
ReportedRun run_of(std::uint64_t job, double node_hours, const std::string& ticket = {},
                   bool drawn = false) {
  ReportedRun run;
  run.outcome.user = "ann";
  run.outcome.label = "halo";
  run.outcome.ranks = 16;
  run.outcome.run = OutcomeRun{
      "site", job, 0, std::nullopt, 1, *parse_utc("2026-11-01") + std::chrono::hours(job)};
  run.outcome.end = OutcomeEnd{Seconds{3600 * node_hours}, 0};
  if (ticket.empty()) return run;
  run.outcome.control = ControlDraw{0.5, ticket, drawn, 1, 0};
  run.outcome.treatment = drawn ? Treatment::kLeft : Treatment::kPacked;
  if (!drawn) run.outcome.plan_file = "/plan.json";
  return run;
}

TEST_CASE("what was drawn is compared, and nothing else") {
  JobReport report;
  report.runs.push_back(run_of(1, 10));
  for (std::uint32_t i = 0; i < kLeastOfGroup; ++i) {
    const std::uint64_t job = 3 * i + 2;
    report.runs.push_back(run_of(job, 10, std::to_string(job), true));
    report.runs.push_back(run_of(job + 1, 4, std::to_string(job + 1)));
    report.runs.push_back(run_of(job + 2, 1000));
  }
  const ControlledSaving saving = controlled_saving(report);
  CHECK(saving.control == kLeastOfGroup);
  CHECK(saving.packed == kLeastOfGroup);
  REQUIRE(saving.saved_node_hours);
  CHECK(saving.low_node_hours < *saving.saved_node_hours);
  CHECK(*saving.saved_node_hours < saving.high_node_hours);
}

TEST_CASE("where runs are as they were expected, the saving is what the plan says") {
  std::vector<DrawnJob> jobs;
  for (std::uint32_t i = 0; i < 2 * kLeastOfGroup; ++i)
    jobs.push_back({0.5, i % 2 == 0, i % 2 == 0 ? 10.0 : 4.0, 10, 4});
  const ControlledSaving saving = controlled_saving(jobs);
  CHECK(*saving.saved_node_hours == doctest::Approx(6 * 2 * kLeastOfGroup));
  CHECK(saving.submitted_node_hours == doctest::Approx(10 * 2 * kLeastOfGroup));
  CHECK(saving.low_node_hours == doctest::Approx(*saving.saved_node_hours));
}

TEST_CASE("few jobs are counted, and give no interval") {
  const std::vector<DrawnJob> jobs(kLeastOfGroup, DrawnJob{0.05, true, 1, 1, 1});
  const ControlledSaving saving = controlled_saving(jobs);
  CHECK(saving.control == kLeastOfGroup);
  CHECK_FALSE(saving.saved_node_hours.has_value());
}

TEST_CASE("members of an array have one lot, and are one job of the comparison") {
  JobReport report;
  for (std::uint64_t member = 1; member <= 5; ++member)
    report.runs.push_back(run_of(member, 3, "array", true));
  CHECK(controlled_saving(report).control == 1);
}

TEST_CASE("a job with a step that failed is not compared by its other steps") {
  JobReport report;
  report.runs.push_back(run_of(1, 3, "a"));
  report.runs.push_back(run_of(2, 3, "a"));
  report.runs.back().outcome.end->status = 1;
  const ControlledSaving saving = controlled_saving(report);
  CHECK(saving.packed == 0);
  CHECK(saving.packed_failed == 1);
}

TEST_CASE("runs that failed are told, and not compared") {
  JobReport report;
  report.runs.push_back(run_of(1, 3, "a", true));
  report.runs.push_back(run_of(2, 3, "b"));
  report.runs.back().outcome.end->status = 1;
  const ControlledSaving saving = controlled_saving(report);
  CHECK(saving.control == 1);
  CHECK(saving.packed == 0);
  CHECK(saving.packed_failed == 1);
}

}  // namespace
}  // namespace huddle::operations
