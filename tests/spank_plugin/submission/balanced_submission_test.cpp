#include <doctest/doctest.h>

#include <string>

#include "profiles/vocabulary/environment.hpp"
#include "tests/spank_plugin/submission/submission_site.hpp"

namespace huddle::submission {

TEST_CASE("clocks follow the loads of a job that is not measured, where the site allows it") {
  constexpr const char* kAllowed = "frequency.control = true\nfrequency.balance = true\n";
  SubmissionSite site;
  const auto is_balanced = [&](Decision::Action action, const std::string& policy) {
    site.answer_with(action);
    site.slurm = {};
    site.slurm.options = {{"nodes", "8"}, {"ntasks", "16"}};
    site.put_policy("off", policy);
    site.submit("auto,energy=balance");
    const bool balanced = site.slurm.variables.contains(kBalanceVariable);
    CHECK(site.request().clocks_follow_loads == (policy == kAllowed));  // the plan minds loads
    if (balanced) {
      CHECK(site.slurm.variables.at(kBalanceVariable) == "1");
      CHECK(site.slurm.variables.contains(kRecorderVariable));  // the balancers are in it
      CHECK(told(site.slurm, kPackedRunWord).value() == "1");
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

TEST_CASE("a site may balance the jobs that say nothing about it, and a user's own word wins") {
  SubmissionSite site;
  const auto balance = [&](const std::string& option, const std::string& policy) {
    site.answer_with(Decision::Action::kApply);
    site.slurm = {};
    site.slurm.options = {{"nodes", "8"}, {"ntasks", "16"}};
    site.put_policy("off", policy);
    site.submit(option);
    const auto found = site.slurm.variables.find(kBalanceVariable);
    return found == site.slurm.variables.end() ? std::string("no") : found->second;
  };
  const std::string allowed = "frequency.control = true\nfrequency.balance = true\n";
  const std::string by_default = "frequency.control = true\nfrequency.balance = \"by default\"\n";
  CHECK(balance("auto", allowed) == "no");
  CHECK(balance("auto", by_default) == "1");
  CHECK(balance("auto,energy=plan", by_default) == "no");
  // Where clocks may not be set, jobs that did not ask for this get no line about it.
  CHECK(balance("auto",
                "frequency.balance = \"by default\"\n"
                "frequency.control = false\n") == "no");
  for (const std::string& line : site.slurm.lines) CHECK(line.find("loads") == std::string::npos);
}

}  // namespace huddle::submission
