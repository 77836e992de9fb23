// Patterns that a job is not packed onto: neither a run nor a model shows how ranks slow each other
// down there.

#include <doctest/doctest.h>

#include "aggregator/planning/planner.hpp"
#include "aggregator/predict/computation/model_quality.hpp"
#include "aggregator/predict/model/model.hpp"
#include "tests/aggregator/planning/planning_site.hpp"
#include "tests/aggregator/predict/computation/synthetic_truth.hpp"
#include "tests/aggregator/sample_runs.hpp"

namespace huddle::planning {
namespace {

using Action = Decision::Action;

// A job of 16 ranks, measured on 16 nodes, on a site without a model.
struct GuardedSite : PlanningSite {
  GuardedSite() {
    request.ranks = 16;
    request.explore = Explore::kNo;
    put("1.json", run_of(16, 1));
  }
};

// The profile of a run by a plan: every rank where the plan says, with times by how full its node
// is.
Profile run_by(const Plan& plan, double on_full_node_s, double on_others_s) {
  Profile profile = run_of(plan.ranks, 1);
  std::vector<std::uint32_t> on_node(plan.chosen.nodes);
  for (const RankPlace& place : plan.placement) ++on_node[place.node.value];
  for (RankRecord& record : profile.rank_records) {
    const RankPlace& place = plan.placement[record.rank.value];
    record.node = "m" + std::to_string(place.node.value);
    record.pus = place.pus;
    record.run_time = {on_node[place.node.value] == 8 ? on_full_node_s : on_others_s};
  }
  return profile;
}

TEST_CASE("one run on sparse nodes is followed by one on nodes filled in different ways") {
  GuardedSite site;
  const Decision decision = site.decision();
  CHECK(decision.action == Action::kMeasure);
  CHECK(decision.reason ==
        "this run is measured on 4 nodes filled in different ways (2:2:2, 1:1:2, 2:2:1, 1:2:1), "
        "and may take longer: measured run 2 of 2");
}

TEST_CASE("the members of a large array are no second run, and one of them on its own is") {
  GuardedSite site;
  site.request.members = 1000;
  const Decision decision = site.decision();
  CHECK(decision.action == Action::kLeave);
  CHECK(decision.reason ==
        "nothing shows how ranks that share a die slow each other; a run of one member on its own "
        "would, in place of 1000 (sbatch --array=N)");
  site.request.members = 1;
  CHECK(site.decision().action == Action::kMeasure);
}

TEST_CASE("where both runs show that packing costs nothing, the job is packed as they covered") {
  GuardedSite site;
  site.put("2.json", run_by(load_plan(site.decision().plan_file), 101, 100));
  const JobAnswer answer = site.answer();
  CHECK(answer.decision.action == Action::kApply);
  CHECK(
      answer.decision.reason.starts_with("packed onto 2 of 16 nodes (2:2:2), predicted +1.0 % "
                                         "time ("));
  REQUIRE(answer.plan);
  CHECK(answer.plan->chosen.coverage == Coverage::kMeasured);
  CHECK(answer.plan->chosen.rests_on == "mixed nodes of a measured run");
  CHECK(answer.plan->chosen.time_high.has_value());
  CHECK_FALSE(answer.plan->trial);
}

TEST_CASE("what lies between measured densities is as slow as what it is nearest to") {
  GuardedSite site;
  // 2:2:2 takes too long for certain; 1:2:2, which was not measured, is nearer to it than to what
  // ran well.
  site.put("2.json", run_by(load_plan(site.decision().plan_file), 130, 101));
  site.request.every_pattern = true;
  const JobAnswer answer = site.answer();
  REQUIRE(answer.plan);
  const PatternForecast* between = nullptr;
  for (const PatternForecast& other : answer.plan->runners_up)
    if (other.pattern == "1:2:2") between = &other;
  REQUIRE(between != nullptr);
  CHECK(between->coverage == Coverage::kInterpolated);
  CHECK_FALSE(between->feasible);
  CHECK(between->reason == "slower than the bound of 5.0 %");
  CHECK(answer.plan->chosen.coverage == Coverage::kMeasured);
  CHECK(answer.plan->chosen.nodes == 4);
}

TEST_CASE("with one sample only, or none to come, the job is left, and its user learns why") {
  for (int i = 0; i < 4; ++i) {
    CAPTURE(i);
    GuardedSite site;
    std::string why;
    if (i == 0) {
      site.request.samples = 1;
      why = "with samples=2 a second measured run would";
    } else if (i == 1) {
      site.request.grouping = Grouping::kRankOrder;
      why = "a run of the same name by sbatch would";
    } else if (i == 2) {
      CHECK(site.decision().action == Action::kMeasure);  // and leaves no profile
      why = "its second measured run has left no profile";
    } else {
      save_profile(run_of(16, 1), site.directory.path() / "given.json");
      site.request.profiles = {site.directory.path() / "given.json"};
      why = "name the profile of a denser run as well";
    }
    for (int again = 0; again < 2; ++again) {
      const Decision decision = site.decision();
      CHECK(decision.action == Action::kLeave);
      CHECK(decision.reason == "nothing shows how ranks that share a die slow each other; " + why);
    }
  }
}

TEST_CASE("a job that was left for want of a second sample gets one once it may be measured") {
  GuardedSite site;
  site.request.samples = 1;
  CHECK(site.decision().action == Action::kLeave);
  site.request.samples = 2;
  CHECK(site.decision().action == Action::kMeasure);
}

TEST_CASE("no run is measured for a job that could not use fewer nodes anyway") {
  GuardedSite site;
  site.put("1.json", run_of(16, 8));
  CHECK(site.decision().action == Action::kLeave);
  CHECK(site.decision().reason == "no fewer nodes: its ranks need 2");
}

TEST_CASE("a run on fuller nodes is not measured where the time limit might end it") {
  GuardedSite site;
  site.request.time_limit = Seconds{800};  // 8 ranks may take 8 times as long as one
  CHECK(site.decision().action == Action::kLeave);
  CHECK(
      site.decision().reason ==
      "nothing shows how ranks that share a die slow each other; a second measured run, on fuller "
      "nodes, might take 845 s, and the time limit is 800 s");
  site.request.time_limit = Seconds{850};
  CHECK(site.decision().action == Action::kMeasure);
}

TEST_CASE("an earlier run that was denser covers what is as dense") {
  GuardedSite site;
  site.request.nodes = 16;
  site.put("2.json", run_of(16, 4));  // on 1:2:2
  const JobAnswer answer = site.answer();
  CHECK(answer.decision.action == Action::kApply);
  CHECK(answer.decision.nodes == 4);
  CHECK(answer.plan->chosen.coverage != Coverage::kNone);
}

TEST_CASE("a trial is packed after one run, and says that it is one") {
  GuardedSite site;
  site.request.explore = Explore::kTrial;
  const JobAnswer answer = site.answer();
  CHECK(answer.decision.action == Action::kApply);
  CHECK(answer.decision.reason ==
        "trial: packed onto 2 of 16 nodes (2:2:2), predicted +0.0 % time (contention unknown)");
  const Plan stored = load_plan(answer.decision.plan_file);
  CHECK(stored.trial);
  CHECK(stored.slowdown_bound == site.request.slowdown);
  CHECK(stored.reason.starts_with("trial: 2 of 16 nodes"));
  CHECK(stored.chosen.coverage == Coverage::kNone);
  // A run that covers it ends the trial.
  site.put("2.json", run_of(16, 8));
  site.request.nodes = 16;
  CHECK_FALSE(site.answer().plan->trial);
}

predict::Model model_that_errs_by(double error) {
  std::vector<predict::ProgramSamples> programs;
  for (const predict::PretendedProgram& program : predict::pretended_programs(4, 3))
    programs.push_back(predict::measured({}, program, predict::all_patterns(2, 2, 2), false));
  predict::TrainingOptions options;
  options.sample_patterns = {{1, 1, 1}, {2, 2, 2}};
  options.evaluations = 2;
  static const predict::ComputationModel trained = predict::train(programs, options);
  predict::ComputationModel model = trained;
  for (predict::FittedModels& fitted : model.fits)
    for (predict::ModelErrors* errors : {&fitted.shared_errors, &fitted.paper_errors})
      for (predict::LeftOutPrediction& left_out : errors->predictions)
        left_out.predicted = left_out.measured * (1 + error);
  return {{}, std::move(model), {}};
}

TEST_CASE("a model with acceptable errors covers what was not measured, a poor one nothing") {
  GuardedSite site;
  site.request.model = site.directory.path() / "model.json";
  site.request.samples = 1;
  predict::save_model(model_that_errs_by(0.02), site.request.model);
  const JobAnswer good = site.answer();
  REQUIRE(good.plan);
  CHECK(good.plan->chosen.coverage != Coverage::kNone);
  CHECK(good.decision.reason.find("is not used") == std::string::npos);
  predict::save_model(model_that_errs_by(0.39), site.request.model);
  const Decision poor = site.decision();
  CHECK(poor.action == Action::kLeave);
  CHECK(poor.reason.starts_with("nothing shows how ranks that share a die slow each other; "));
  CHECK(poor.reason.ends_with(
      "model.json is not used: its errors on programs left out are 39.0 % on average and 39.0 % at "
      "worst, expected at most 15 % on average and 60 % at worst"));
}

}  // namespace
}  // namespace huddle::planning
