#include <doctest/doctest.h>

#include <string>

#include "profiles/store/first_run.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "tests/spank_plugin/submission/submission_site.hpp"

namespace huddle {

TEST_CASE("clocks follow the loads of a job that is not measured, where the site allows it") {
  constexpr const char* kAllowed = "frequency.control = true\nfrequency.balance = true\n";
  SubmissionSite site;
  const auto is_balanced = [&](Decision::Action action, const std::string& policy) {
    site.answer_with(action);
    release_first_run(site.path("plan.json"));
    site.slurm = {};
    site.slurm.options = {{"nodes", "8"}, {"ntasks", "16"}};
    site.put_policy("off", policy);
    site.submit("auto,energy=balance");
    const bool balanced = site.slurm.variables.contains(kBalanceVariable);
    if (balanced) {
      CHECK(site.slurm.variables.at(kBalanceVariable) == "1");
      CHECK(site.slurm.variables.contains(kRecorderVariable));  // the balancers are in it
      CHECK(site.slurm.variables.at(kPackedRunVariable) == "1");
      CHECK(site.slurm.variables.at(kMoveRanksVariable) == "0");
      CHECK(site.slurm.lines.back().find("its clocks follow its loads") != std::string::npos);
    } else {
      CHECK(site.slurm.lines.back().find("loads") != std::string::npos);  // says why not
    }
    return balanced;
  };
  CHECK(is_balanced(Decision::Action::kApply, kAllowed));
  CHECK(is_balanced(Decision::Action::kLeave, kAllowed));
  CHECK_FALSE(is_balanced(Decision::Action::kMeasure, kAllowed));
  CHECK_FALSE(is_balanced(Decision::Action::kApply, "frequency.balance = true\n"));
  CHECK_FALSE(is_balanced(Decision::Action::kApply, "frequency.control = true\n"));
}

}  // namespace huddle
