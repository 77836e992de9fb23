#include "spank_plugin/plugin/node/self_report.hpp"

#include <doctest/doctest.h>

#include "profiles/vocabulary/environment.hpp"
#include "tests/spank_plugin/plugin/fake_spank.hpp"

namespace huddle::plugin {
namespace {

TEST_CASE("only a task that asks for it learns which plugin this is") {
  const SlurmForATest slurm;
  report_to_doctor(slurm.handle(), 0, nullptr);
  CHECK(slurm->environment.empty());
}

TEST_CASE("a report has versions, file and policy, each on a line") {
  const SlurmForATest slurm;
  slurm->environment[kSelfReportVariable] = kWhichPlugin;
  slurm->texts[S_SLURM_VERSION] = "22.05.8";
  char argument[] = "policy=/etc/site.toml";
  char* arguments[] = {argument};
  report_to_doctor(slurm.handle(), 1, arguments);
  const std::string report = slurm->environment[kSelfReportVariable];
  CHECK(report.starts_with("version=" HUDDLE_VERSION "\nbuilt_for="));
  CHECK(report.find("\nrunning_in=22.05.8\nfile=") != std::string::npos);
  CHECK(report.find("plugin_tests\n") != std::string::npos);
  CHECK(report.ends_with("\npolicy=/etc/site.toml\n"));
}

TEST_CASE("what Slurm does not say stays empty") {
  const SlurmForATest slurm;
  slurm->environment[kSelfReportVariable] = kWhichPlugin;
  report_to_doctor(slurm.handle(), 0, nullptr);
  CHECK(slurm->environment[kSelfReportVariable].find("\nrunning_in=\n") != std::string::npos);
  CHECK(slurm->environment[kSelfReportVariable].ends_with("\npolicy=\n"));
}

}  // namespace
}  // namespace huddle::plugin
