#include "aggregator/operations/doctor/site_checks.hpp"

#include <doctest/doctest.h>

using namespace huddle::doctor;

namespace {

NodeReport report_with(const std::string& node, const std::string& fact, const std::string& value,
                       double time_s = 100) {
  return {node, time_s, {{fact, value}}, {}};
}

}  // namespace

TEST_CASE("a node without an answer is reported with what Slurm said about it") {
  const auto findings =
      check_answers({"n1", "n10", "n2"}, {report_with("n10", kPolicyFact, "a")},
                    "slurmstepd-n1: error: execve(): /usr/bin/huddle: No such file or directory\n"
                    "srun: error: n1: task 0: Exited with exit code 2\n");
  REQUIRE(findings.size() == 3);
  CHECK(findings[0].verdict == Verdict::kOk);
  CHECK(findings[0].nodes == std::vector<std::string>{"n10"});
  CHECK(findings[1].what.find("execve(): /usr/bin/huddle") != std::string::npos);
  CHECK(findings[2].what == "gave no answer");
}

TEST_CASE("a line about n10 says nothing of n1") {
  const auto findings = check_answers({"n1"}, {}, "srun: error: n10: task 3: Killed\n");
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].what == "gave no answer");
}

TEST_CASE("nodes are compared with the machine that asked where it knows better") {
  const auto findings = check_alike({{kPolicyFact, "a"}}, {report_with("n0", kPolicyFact, "b"),
                                                           report_with("n1", kPolicyFact, "b")});
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].verdict == Verdict::kWrong);
  CHECK(findings[0].what == "another policy than where this was asked: b, not a");
}

TEST_CASE("hardware is compared with that of most nodes") {
  const auto findings = check_alike({}, {report_with("n0", kGovernorFact, "powersave"),
                                         report_with("n1", kGovernorFact, "schedutil"),
                                         report_with("n2", kGovernorFact, "schedutil")});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].verdict == Verdict::kWarning);
  CHECK(findings[0].nodes == std::vector<std::string>{"n0"});
}

TEST_CASE("nodes that are alike are one line, and what a node could not read is not compared") {
  const auto findings =
      check_alike({{kPolicyFact, "a"}}, {report_with("n0", kPolicyFact, "a"), {"n1", 0, {}, {}}});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].verdict == Verdict::kOk);
}

TEST_CASE("a clock is wrong if it was outside of the time that asking took") {
  const auto at = [](double time_s) {
    return check_clocks({report_with("n0", kPolicyFact, "a", time_s)}, 100, 103)[0];
  };
  CHECK(at(101).verdict == Verdict::kOk);
  CHECK(at(98.5).verdict == Verdict::kOk);
  CHECK(at(104.5).verdict == Verdict::kOk);
  CHECK(at(90).what == "the clock is at least 10 s behind");
  CHECK(at(110).what == "the clock is at least 7 s ahead");
}
