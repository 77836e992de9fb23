// Compares what huddle explain says comes next with what the next submission is answered.

#include "aggregator/commands/explain/explanation.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "aggregator/planning/planner.hpp"
#include "profiles/store/job_claim.hpp"
#include "profiles/store/timed_runs.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/planning/planning_site.hpp"

namespace huddle::cli {
namespace {

namespace fs = std::filesystem;
using Action = Decision::Action;

/// The part of an answer that must be the same in two, as text: action, pattern, and what the user
/// is told.
std::string in_short(const std::optional<Decision>& decision, const std::string& why_unknown) {
  if (!decision) return "unknown: " + why_unknown;
  return fmt::format("{} {} {}", static_cast<int>(decision->action), decision->pattern,
                     decision->reason);
}

/// A label's jobs, submitted again and again with other options, and what becomes of them.
class History : planning::PlanningSite {
 public:
  explicit History(unsigned seed) : random_(seed) {
    // A job of few ranks on few nodes: a plan is made in a moment.
    request.nodes = 8;
    request.script = "one";
    request.store = store.root();
    store.make_folder(planning::key_of(request));
  }

  // A submission is answered, its job runs, and something else may happen.
  void go_on() {
    change_options();
    const Decision decision = answer();
    run(decision);
    if (chance(5)) damage_a_file();
    if (chance(10)) put_claim(decision);
  }

  // Empty if explain says what the next submission is answered.
  [[nodiscard]] std::string contradiction() const {
    const ExplainedSite site{store, Policy(), false};
    const Explanation explanation = explain(site, planning::key_of(request), runs_, {});
    std::string answered;
    try {
      answered = in_short(planning::decide_job(store, request).decision, "");
    } catch (const Error& error) {
      answered = in_short({}, error.what());
    }
    const std::string explained = in_short(explanation.next.decision, explanation.next.why_unknown);
    return explained == answered ? "" : explained + "\n  but: " + answered;
  }

  [[nodiscard]] bool was_packed() const { return packed_; }

 private:
  bool chance(int one_in) { return std::uniform_int_distribution<int>(1, one_in)(random_) == 1; }
  template <class Value>
  Value any_of(const std::vector<Value>& values) {
    return values[std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(random_)];
  }

  void change_options() {
    if (!chance(3)) return;
    request.slowdown = any_of<double>({0.05, 0.05, 0.8, 0});
    request.script = any_of<std::string>({"one", "one", "two", "three"});
    request.nodes = any_of<std::uint32_t>({8, 8, 4});
    request.explore = any_of<Explore>({Explore::kNo, Explore::kTrial, Explore::kTrial});
    request.cores_per_rank = chance(6) ? 2 : 1;
    request.sets_frequencies = chance(4);
    request.frequencies = request.sets_frequencies
                              ? std::optional<FrequencyRange>(FrequencyRange{{1e9}, {2e9}})
                              : std::nullopt;
    request.withdraw = !chance(8);
    request.time_limit = chance(6) ? std::optional<Seconds>(Seconds{900}) : std::nullopt;
  }

  Decision answer() {
    try {
      return planning::decide_job(store, request).decision;
    } catch (const Error&) {  // then the job is left
      return {};
    }
  }

  Profile profile_of(const Decision& decision, double seconds) {
    if (decision.lays_out() && fs::exists(decision.plan_file)) {
      const Plan plan = load_plan(decision.plan_file);
      Profile profile = run_of(8, plan.chosen.ranks_per_node, seconds);
      for (RankRecord& record : profile.rank_records) {
        record.pus = plan.placement[record.rank.value].pus;
        record.node = fmt::format("node{}", plan.placement[record.rank.value].node.value);
      }
      return profile;
    }
    return run_of(8, 8 / *request.nodes, seconds);
  }

  void run(const Decision& decision) {
    ++job_;
    Outcome outcome;
    outcome.user = request.user;
    outcome.label = request.label;
    outcome.ranks = request.ranks;
    outcome.script = request.script;
    outcome.reason = decision.reason;
    outcome.request = request;
    outcome.treatment = decision.action == Action::kApply     ? Treatment::kPacked
                        : decision.action == Action::kMeasure ? Treatment::kMeasured
                                                              : Treatment::kLeft;
    packed_ = packed_ || outcome.treatment == Treatment::kPacked;
    if (outcome.treatment == Treatment::kPacked) outcome.plan_file = decision.plan_file;
    outcome.run.emplace();
    outcome.run->job = job_;
    outcome.run->step = 0;
    outcome.run->nodes = decision.lays_out() ? decision.nodes : *request.nodes;
    outcome.run->start =
        *parse_utc("2026-11-25") + std::chrono::minutes(static_cast<std::int64_t>(job_));
    outcome.run->launched = {"/home/ann/app", any_of<std::string>({"", "01", "02"})};
    const double seconds = any_of<double>({1000, 1010, 1400, 700});
    const int status = any_of<int>({0, 0, 0, 7, 143});
    if (!chance(10)) outcome.end = OutcomeEnd{Seconds{seconds}, status};
    const std::string moment = fmt::format("20261125T{:02}{:02}00.000Z", job_ / 60, job_ % 60);
    if (outcome.treatment != Treatment::kLeft && !chance(5)) {
      Profile profile = profile_of(decision, seconds);
      profile.executable = "/home/ann/app";
      profile.script = request.script;
      profile.slurm_job_id = job_;
      profile.complete = !chance(6);
      outcome.profile_file =
          (fs::path(folder()) /
           fmt::format("{}-{}-{}.0-pid7.json",
                       outcome.treatment == Treatment::kPacked ? "packed" : "profile", moment,
                       job_))
              .string();
      save_profile(profile, outcome.profile_file);
    }
    store::put_file(folder() + fmt::format("/outcome-{}-{}.0-pid1.json", moment, job_),
                    to_json(outcome));
    runs_.emplace_back().outcome = outcome;
    if (outcome.end) store_time(outcome, decision);
  }

  void store_time(const Outcome& outcome, const Decision& decision) const {
    store::TimedLayout layout{request.script, "/home/ann/app", "", outcome.run->nodes};
    if (outcome.treatment == Treatment::kPacked) layout.pattern = decision.pattern;
    if (outcome.treatment != Treatment::kMeasured) layout.clocks = compared_clocks(request);
    store::store_timed_run(
        folder(), layout,
        {job_, fmt::format("{}.0", job_), outcome.run->start, outcome.end->elapsed,
         outcome.run->launched.build_id, outcome.end->status});
  }

  void damage_a_file() {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder())) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    if (!files.empty())
      store::put_file(any_of(files).string(), any_of<std::string>({"", "{", "{}"}));
  }

  // Makes the claim of a job that is still being submitted, or of one that is not there any more.
  void put_claim(const Decision& decision) {
    if (decision.claim.empty()) return;
    store::JobClaim claim = store::claim_of_this_process("app");
    if (chance(2)) {
      claim.process.started += 1;
      claim.made -= std::chrono::hours(7);
    }
    store::take_claim(decision.claim, claim);
  }

  std::mt19937 random_;
  std::vector<operations::ReportedRun> runs_;
  std::uint64_t job_ = 0;
  bool packed_ = false;
};

TEST_CASE("whatever happened, explain says what the next submission is answered") {
  bool packed = false;
  for (unsigned seed = 1; seed <= 25; ++seed) {
    CAPTURE(seed);
    History history(seed);
    for (int step = 1; step <= 14; ++step) {
      CAPTURE(step);
      history.go_on();
      REQUIRE(history.contradiction() == "");
    }
    packed = packed || history.was_packed();
  }
  CHECK(packed);
}

TEST_CASE("a job of which nothing was asked is explained by what it was told") {
  const planning::PlanningSite planning;
  const ExplainedSite site{planning.store, Policy(), false};
  operations::ReportedRun run;
  run.outcome.reason = "you place ranks yourself (--distribution)";
  run.outcome.run.emplace();
  run.outcome.run->job = 7;
  const NextSubmission left = explain(site, planning::key_of(planning.request), {run}, {}).next;
  REQUIRE(left.decision);
  CHECK(left.decision->action == Action::kLeave);
  CHECK(left.decision->reason == run.outcome.reason);
  run.outcome.treatment = Treatment::kPacked;
  const NextSubmission unknown = explain(site, planning::key_of(planning.request), {run}, {}).next;
  CHECK_FALSE(unknown.decision);
  CHECK(unknown.why_unknown.starts_with("the record of job 7 does not hold what"));
  CHECK(explain(site, planning::key_of(planning.request), {}, {}).next.why_unknown ==
        "no job has left a record of what its submission asked");
}

}  // namespace
}  // namespace huddle::cli
