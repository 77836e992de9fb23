// The second measured run: when decide_job() asks for one, and what becomes of it.

#include <doctest/doctest.h>

#include <filesystem>

#include "aggregator/planning/detail/store/stored_answer.hpp"
#include "aggregator/planning/planner.hpp"
#include "aggregator/predict/computation/training.hpp"
#include "aggregator/predict/model/model.hpp"
#include "tests/aggregator/predict/computation/synthetic_truth.hpp"
#include "tests/aggregator/sample_runs.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;
using Action = Decision::Action;

predict::Model small_model() {
  std::vector<predict::ProgramSamples> programs;
  for (const predict::PretendedProgram& program : predict::pretended_programs(4, 3))
    programs.push_back(predict::measured({}, program, predict::all_patterns(2, 2, 2), false));
  predict::TrainingOptions options;
  options.sample_patterns = {{1, 1, 1}, {2, 2, 2}};
  options.evaluations = 2;
  return {"site", predict::train(programs, options), {}};
}

// A job of 16 ranks, measured once on 16 nodes, on a site with a model.
struct SampledSite {
  SampledSite() {
    static const predict::Model model = small_model();
    save_machine(slow_machine(), directory.path() / "machine.json");
    predict::save_model(model, directory.path() / "model.json");
    request.user = "ann";
    request.label = "app";
    request.ranks = 16;
    request.machine = directory.path() / "machine.json";
    request.model = directory.path() / "model.json";
    put("1.json", run_of(16, 1));
  }
  void put(const std::string& name, const Profile& profile) const {
    save_profile(profile, store.make_folder(key_of(request)) / ("profile-" + name));
  }
  [[nodiscard]] JobAnswer answer() const { return decide_job(store, request); }
  [[nodiscard]] Decision decision() const { return answer().decision; }

  store::TemporaryDirectory directory;
  store::Store store{directory.path()};
  PlanRequest request;
};

// The profile of a run by such a plan: every rank where the plan says, and slower where it is full.
Profile run_by(const Plan& plan) {
  Profile profile = run_of(plan.ranks, 1);
  for (RankRecord& record : profile.rank_records) {
    const RankPlace& place = plan.placement[record.rank.value];
    record.node = "m" + std::to_string(place.node.value);
    record.pus = place.pus;
    record.run_time = {place.node.value == 0 ? 130.0 : 110.0};
  }
  return profile;
}

TEST_CASE("with a model, one profile is followed by a run on nodes filled in different ways") {
  SampledSite site;
  const Decision decision = site.decision();
  CHECK(decision.action == Action::kMeasure);
  CHECK(decision.reason ==
        "this run is measured on 4 nodes filled in different ways (2:2:2, 1:1:2, 2:2:1, 1:2:1), "
        "and may take longer (most likely 9 %, up to 31 %): measured run 2 of 2");
  CHECK(decision.nodes == 4);
  CHECK(decision.ranks_per_node == 8);
  const Plan plan = load_plan(decision.plan_file);
  CHECK(plan.placement.size() == 16);
  CHECK(plan.node_pus == 8);
  CHECK(plan.made_from.size() == 1);
}

TEST_CASE("after the second run there is a plan, against the job as it was submitted") {
  SampledSite site;
  site.put("2.json", run_by(load_plan(site.decision().plan_file)));
  const JobAnswer answer = site.answer();
  REQUIRE(answer.plan.has_value());
  CHECK(answer.plan->reference.pattern == "1:1:1");
  CHECK(answer.plan->reference.nodes == 16);
  CHECK(answer.plan->made_from.size() == 2);
  const PatternForecast* full = nullptr;
  for (const PatternForecast& other : answer.plan->runners_up)
    if (other.pattern == "2:2:2") full = &other;
  REQUIRE(full != nullptr);
  CHECK(full->computation.value == doctest::Approx(130));
  CHECK_FALSE(full->feasible);
}

TEST_CASE("nodes are filled less where full ones would be slower than a second run may be") {
  SampledSite site;
  site.request.sample_slowdown = 0.08;
  const Decision decision = site.decision();
  CHECK(decision.action == Action::kMeasure);
  CHECK(decision.ranks_per_node < 8);
  CHECK(decision.reason.find("2:2:2") == std::string::npos);
}

TEST_CASE("where each mix of nodes would be too slow, there is no second run") {
  SampledSite site;
  site.request.sample_slowdown = 0;
  CHECK(site.decision().action != Action::kMeasure);
}

TEST_CASE("a second run that leaves no profile is not asked for again") {
  SampledSite site;
  CHECK(site.decision().action == Action::kMeasure);
  CHECK(site.decision().action != Action::kMeasure);
}

TEST_CASE("a second run that was laid out too late for its submission is the next one's") {
  const SampledSite site;
  const Decision first = site.decision();
  const fs::path late =
      late_sample_path(plan_path(site.store, site.request, profiles_for(site.store, site.request)));
  fs::rename(first.plan_file, late);
  CHECK(to_json(site.decision()) == to_json(first));
  CHECK_FALSE(fs::exists(late));
  CHECK(site.decision().action != Action::kMeasure);
}

TEST_CASE("a second run that was cut short is not asked for again, whatever the next request is") {
  SampledSite site;
  Profile killed = run_by(load_plan(site.decision().plan_file));
  killed.complete = false;
  killed.cut_short_reason = "rank 3 was killed";
  site.put("2.json", killed);
  CHECK(site.decision().action != Action::kMeasure);
  site.request.slowdown = 0.03;
  CHECK(site.decision().action != Action::kMeasure);
}

TEST_CASE("who only asks what would be done sees the patterns, and changes nothing") {
  SampledSite site;
  site.request.every_pattern = true;
  for (int i = 0; i < 2; ++i) {
    const JobAnswer answer = site.answer();
    CHECK(answer.decision.action == Action::kMeasure);
    REQUIRE(answer.plan.has_value());
    CHECK(answer.plan->runners_up.size() == 7);
  }
}

TEST_CASE(
    "there is no second run for a trial without a model, if one sample must do, or in rank order") {
  for (int i = 0; i < 3; ++i) {
    CAPTURE(i);
    SampledSite site;
    if (i == 0) {
      site.request.model.clear();
      site.request.explore = Explore::kTrial;
    }
    if (i == 1) site.request.samples = 1;
    if (i == 2) site.request.grouping = Grouping::kRankOrder;
    CHECK(site.decision().action != Action::kMeasure);
  }
}

TEST_CASE("a second run takes no more nodes than asked for, and no more memory than there is") {
  SampledSite site;
  site.request.nodes = 2;
  CHECK(site.decision().action != Action::kMeasure);
  Machine machine = slow_machine();
  machine.node_memory = {4000};
  save_machine(machine, site.request.machine);
  Profile profile = run_of(16, 1);
  for (RankRecord& record : profile.rank_records) record.peak_resident = {1000};
  site.put("1.json", profile);
  site.request.nodes = 16;
  const Decision decision = site.decision();
  CHECK(decision.action == Action::kMeasure);
  CHECK(decision.ranks_per_node == 4);
}

}  // namespace
}  // namespace huddle::planning
