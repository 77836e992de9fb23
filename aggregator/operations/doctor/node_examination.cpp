#include "aggregator/operations/doctor/node_examination.hpp"

#include <fmt/format.h>

#include <chrono>

#include "aggregator/operations/doctor/hardware_checks.hpp"
#include "aggregator/operations/doctor/profile_directory_check.hpp"
#include "aggregator/operations/doctor/site_file_checks.hpp"
#include "aggregator/operations/doctor/user_checks.hpp"
#include "aggregator/operations/launch/program_run.hpp"
#include "profiles/processes/without_root.hpp"

namespace huddle::doctor {
namespace {

void add(NodeReport& report, Examined examined) {
  report.findings.push_back(std::move(examined.finding));
  for (auto& [name, value] : examined.facts) report.facts[name] = std::move(value);
}

void examine_what_policy_names(NodeReport& report, const NodeQuestion& question,
                               const Policy& policy) {
  const OutputOf run = [](const std::vector<std::string>& command) {
    constexpr std::chrono::seconds kLongest{70};  // that of output_of(), and some more
    return processes::without_root([&] { return operations::output_of(command); }, kLongest)
        .value_or("");
  };
  for (Finding& finding : check_recorders(policy, run))
    report.findings.push_back(std::move(finding));
  report.findings.push_back(check_mpirun_helper(policy));
  report.findings.push_back(check_planner(policy));
  report.findings.push_back(check_profile_directory(policy, question.probe, question.node));
  // Once, not on every node.
  if (question.probe.empty())
    for (const auto& check : {check_owners_of_folders, check_folders_of_users})
      if (auto finding = check(policy)) report.findings.push_back(std::move(*finding));
  add(report, check_machine(policy, question.runs_jobs));
  add(report, check_model(policy));
  if (question.runs_jobs) report.findings.push_back(check_journal(policy));
  if (question.runs_jobs && policy.grants_frequencies())
    report.findings.push_back(check_watcher(policy));
}

}  // namespace

NodeReport examine_node(const NodeQuestion& question) {
  NodeReport report;
  report.node = question.node;
  report.facts[kCommandFact] = "huddle " HUDDLE_VERSION;
  if (question.plugin_places)
    add(report, question.in_task ? check_loaded_plugin(*question.plugin_places, question.plugin)
                                 : check_plugin_file(*question.plugin_places));
  const PolicyFile file = question.plugin && !question.plugin->policy.empty()
                              ? PolicyFile{question.plugin->policy, true}
                              : PolicyFile{question.policy_file, question.policy_named};
  ExaminedPolicy examined = check_policy(file);
  const std::optional<Policy> policy = examined.policy;
  add(report, std::move(examined));
  report.findings.push_back(check_switch(policy, file.file));
  if (policy) {
    examine_what_policy_names(report, question, *policy);
    for (Finding& finding : check_what_users_read(*policy, file.file))
      report.findings.push_back(std::move(finding));
  }
  report.findings.push_back(check_counters(question.sysfs, question.proc));
  add(report, check_frequencies(question.sysfs, policy && policy->grants_frequencies()));
  report.findings.push_back(check_energy_meters(question.sysfs));
  add(report, check_topology(question.runs_jobs));
  using namespace std::chrono;
  report.time_s = duration<double>(system_clock::now().time_since_epoch()).count();
  return report;
}

}  // namespace huddle::doctor
