#include "aggregator/operations/doctor/slurm_settings.hpp"

#include <doctest/doctest.h>

using namespace huddle::doctor;

namespace {

Finding finding_of(const std::string& settings, const std::string& check) {
  for (const Finding& finding : check_slurm(SlurmSettings(settings)))
    if (finding.check == check) return finding;
  FAIL("no finding of " << check);
  return {};
}

}  // namespace

TEST_CASE("settings are read as scontrol prints them") {
  const SlurmSettings settings(
      "Configuration data as of 2026-11-22T00:00:00\n"
      "TaskPlugin              = task/affinity,task/cgroup\n"
      "MpiParams               = (null)\n"
      "PluginDir               = /a=b\n"
      "Slurmctld(primary) at hub is UP\n");
  CHECK(settings.get("TaskPlugin") == "task/affinity,task/cgroup");
  CHECK(settings.get("MpiParams").empty());
  CHECK(settings.get("PluginDir") == "/a=b");
  CHECK(settings.get("Nothing").empty());
  CHECK(SlurmSettings("slurm_load_ctl_conf error: Unable to contact slurm controller\n").empty());
}

TEST_CASE("a fence that does not synchronise small jobs is warned of") {
  const std::string other = "TreeWidth = 50\n";
  CHECK(finding_of(other + "SLURM_VERSION = 22.05.8\n", "fence").verdict == Verdict::kWarning);
  CHECK(finding_of(other + "SLURM_VERSION = 22.05.8\nPMIxCollFence = tree\n", "fence").verdict ==
        Verdict::kWarning);
  CHECK(finding_of("TreeWidth = 2\nSLURM_VERSION = 22.05.8\nPMIxCollFence = tree\n", "fence")
            .verdict == Verdict::kOk);
  const Finding later = finding_of("TreeWidth = 16\nSLURM_VERSION = 26.05.5\n", "fence");
  CHECK(later.verdict == Verdict::kWarning);
  CHECK(later.what.find("TreeWidth (16)") != std::string::npos);
}

TEST_CASE("a ring of nodes, in which some steps hang, is warned of") {
  const std::string ring = "TreeWidth = 50\nPMIxCollFence = ring\nSLURM_VERSION = ";
  const Finding finding = finding_of(ring + "22.05.8\n", "fence");
  CHECK(finding.verdict == Verdict::kWarning);
  CHECK(finding.what.find("may hang") != std::string::npos);
  CHECK(finding_of(ring + "23.11.1\n", "fence").verdict == Verdict::kWarning);
}

TEST_CASE("a store that shows what Slurm hides is warned of") {
  huddle::Policy policy = huddle::Policy::defaults();
  const SlurmSettings hides("PrivateData = accounts,jobs\n");
  CHECK(check_privacy(hides, policy).empty());
  policy.readers = huddle::Readers::kAll;
  CHECK(check_privacy(SlurmSettings("PrivateData = none\n"), policy).empty());
  const std::vector<Finding> findings = check_privacy(hides, policy);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].verdict == Verdict::kWarning);
  CHECK(findings[0].what.find("everybody") != std::string::npos);
}

TEST_CASE("binding needs a plugin for tasks") {
  CHECK(finding_of("TaskPlugin = task/none", "binding").verdict == Verdict::kWarning);
  CHECK(finding_of("TaskPlugin = task/cgroup,task/affinity", "binding").verdict == Verdict::kOk);
  CHECK(finding_of("TaskPlugin = task/cgroupish", "binding").verdict == Verdict::kWarning);
}

TEST_CASE("selection of whole nodes and missing accounting of energy are warned of") {
  CHECK(finding_of("SelectType = select/linear", "selection").verdict == Verdict::kWarning);
  CHECK(finding_of("SelectType = select/cons_tres", "selection").verdict == Verdict::kOk);
  CHECK(finding_of("AcctGatherEnergyType = acct_gather_energy/none", "accounting").verdict ==
        Verdict::kWarning);
  CHECK(finding_of("AcctGatherEnergyType = acct_gather_energy/rapl", "accounting").verdict ==
        Verdict::kOk);
}
