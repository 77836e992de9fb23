#include "spank_plugin/submission/carried_variables.hpp"

#include <doctest/doctest.h>

#include "profiles/vocabulary/environment.hpp"
#include "spank_plugin/submission/decided_variables.hpp"
#include "tests/spank_plugin/submission/fake_slurm.hpp"

namespace huddle::submission {
namespace {

FakeSlurm decided(const char* exported) {
  FakeSlurm slurm;
  if (exported != nullptr) slurm.options["export"] = exported;
  slurm.variables = {{kRecorderVariable, "/lib/recorder.so"},
                     {kStepVariable, "huddle/step 1\ntwo lines"},
                     {kPlanVariable, ""},
                     {"HOME", "/home/ann"}};
  return slurm;
}

TEST_CASE("what was decided is carried where --export hides it, and arrives as it was") {
  for (const char* exported : {"NONE", "NIL", "PATH,HOME", "INPUT=ALL"}) {
    CAPTURE(exported);
    FakeSlurm slurm = decided(exported);
    carry_decision(slurm);
    REQUIRE(slurm.variable(kCarrierVariable).has_value());
    FakeSlurm::Texts arrived;
    for (const auto& [name, value] : carried_variables(*slurm.variable(kCarrierVariable)))
      arrived[name] = value;
    CHECK(arrived == FakeSlurm::Texts{{kRecorderVariable, "/lib/recorder.so"},
                                      {kStepVariable, "huddle/step 1\ntwo lines"},
                                      {kPlanVariable, ""}});
  }
}

TEST_CASE("nothing is carried where the environment goes on, or nothing was decided") {
  for (const char* exported :
       {static_cast<const char*>(nullptr), "ALL", "ALL,INPUT=small", "A,ALL"}) {
    FakeSlurm slurm = decided(exported);
    slurm.variables[kCarrierVariable] = "of an outer job";
    carry_decision(slurm);
    CHECK_FALSE(slurm.variable(kCarrierVariable).has_value());
  }
  FakeSlurm undecided;
  undecided.options["export"] = "NONE";
  undecided.variables["HUDDLE_THREADS"] = "auto";  // the user's own
  carry_decision(undecided);
  CHECK_FALSE(undecided.variable(kCarrierVariable).has_value());
}

TEST_CASE("a submission from within a job forgets what that carries") {
  FakeSlurm slurm;
  slurm.variables[kCarrierVariable] = "HUDDLE_PLAN 5 /plan";
  forget_what_was_decided(slurm);
  CHECK_FALSE(slurm.variable(kCarrierVariable).has_value());
}

TEST_CASE("no text makes other variables than those of a decision") {
  CHECK(carried_variables("LD_PRELOAD 3 /a.HUDDLE_PLAN 2 /b").empty());
  CHECK(carried_variables("HUDDLE_PLAN 2 /bLD_PRELOAD 2 /a").size() == 1);
  for (const char* damaged : {"", " ", "HUDDLE_PLAN", "HUDDLE_PLAN x /b", "HUDDLE_PLAN 3 /b",
                              "HUDDLE_PLAN 99999999999999999999 /b", "HUDDLE_PLAN -1 /b"})
    CHECK(carried_variables(damaged).empty());
}

}  // namespace
}  // namespace huddle::submission
