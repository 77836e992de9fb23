#pragma once

#include <string>
#include <string_view>

#include "profiles/formats/plan/plan.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "spank_plugin/submission/asked/aggregate_option.hpp"
#include "spank_plugin/submission/step_layout.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/spank_plugin/submission/fake_slurm.hpp"

namespace huddle::submission {

/// An srun in a job that was asked for with a plan: three ranks on two nodes, the first in between.
struct PlannedStep {
  PlannedStep() {
    Plan plan;
    plan.ranks = 3;
    plan.node_pus = 4;
    plan.chosen.pattern = "1:1:2";
    plan.chosen.nodes = 2;
    plan.chosen.ranks_per_node = 2;
    plan.reference = plan.chosen;
    plan.placement = {{{1}, PuSet::parse("0")}, {{0}, PuSet::parse("0")}, {{1}, PuSet::parse("2")}};
    plan.frequency = Hertz{2e9};
    plan.rank_frequencies = {{1e9}, {2e9}, {1e9}};
    save_plan(plan, file());
    slurm.words = {"srun", "program"};
    slurm.defaults = {{"ntasks", "3"}, {"nodes", "2"}};
    slurm.variables = {{kPlanVariable, file()}, {"SLURM_JOB_NODELIST", "n[0-1]"}};
  }
  [[nodiscard]] std::string file() const { return (directory.path() / "plan.json").string(); }
  void start(std::string_view option = "") {
    lay_out_step(slurm, parse_aggregate_option(option, "option"));
  }

  store::TemporaryDirectory directory;
  FakeSlurm slurm;
};

}  // namespace huddle::submission
