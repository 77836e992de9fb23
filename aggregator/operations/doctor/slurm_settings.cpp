#include "aggregator/operations/doctor/slurm_settings.hpp"

#include <fmt/format.h>

#include "profiles/vocabulary/text.hpp"

namespace huddle::doctor {
namespace {

// "task/affinity,task/cgroup" has "task/cgroup".
bool lists(std::string_view list, std::string_view item) {
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(','));
    if (trimmed(one) == item) return true;
    list.remove_prefix(std::min(one.size() + 1, list.size()));
  }
  return false;
}

Finding check_binding(const SlurmSettings& settings) {
  const std::string plugins = settings.get("TaskPlugin");
  if (lists(plugins, "task/affinity") || lists(plugins, "task/cgroup"))
    return ok("binding", fmt::format("TaskPlugin is {}", plugins));
  return warning(
      "binding",
      fmt::format("TaskPlugin is {}: Slurm keeps no task on its own cores",
                  plugins.empty() ? "not set" : plugins),
      "set TaskPlugin=task/affinity,task/cgroup in slurm.conf; else jobs that are not packed "
      "disturb each other");
}

Finding check_selection(const SlurmSettings& settings) {
  const std::string type = settings.get("SelectType");
  if (type == "select/cons_tres" || type == "select/cons_res")
    return ok("selection", fmt::format("SelectType is {}", type));
  return warning(
      "selection",
      fmt::format("SelectType is {}: Huddle was tested with select/cons_tres only", type),
      "set SelectType=select/cons_tres in slurm.conf, or try a packed job before users do");
}

// Slurm's mpi/pmix has two faults, in 22.05 and as its sources are in 26.05. Its tree does not wait
// for other nodes where a step has fewer than TreeWidth (50 by default, 16 from 23.11 on). Its ring
// of two nodes never connects where the step begins behind its job's first node and both send at
// once: who connects is decided by comparing the number of one node in the job with that of the
// other in the step.
Finding check_fence(const SlurmSettings& settings) {
  const std::string fence = settings.get("PMIxCollFence");
  const std::string width = settings.get("TreeWidth");
  if (fence == "tree" && width == "2") return ok("fence", "PMIxCollFence is tree, and TreeWidth 2");
  if (fence == "ring")
    return warning(
        "fence",
        "PMIxCollFence is ring: with mpi/pmix a step on two nodes that does not begin at its job's "
        "first node may hang",
        "where jobs have such steps, write PMIxCollFence=tree into mpi.conf on all nodes and "
        "TreeWidth=2 into slurm.conf, which makes launches on many nodes slower");
  return warning(
      "fence",
      fmt::format("PMIxCollFence is {}: mpi/pmix does not synchronise steps of fewer nodes than "
                  "TreeWidth ({}), so MPI_Finalize may return early and ranks hang",
                  fence.empty() ? "the default" : fence, width),
      "write PMIxCollFence=ring into mpi.conf on all nodes");
}

Finding check_accounting(const SlurmSettings& settings) {
  const std::string type = settings.get("AcctGatherEnergyType");
  if (!type.empty() && type != "acct_gather_energy/none")
    return ok("accounting", fmt::format("energy of jobs: {}", type));
  return warning("accounting",
                 "Slurm accounts for no energy: what jobs saved can be estimated only",
                 "set AcctGatherEnergyType in slurm.conf, if the nodes have meters");
}

}  // namespace

SlurmSettings::SlurmSettings(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t sign = line.find('=');
    if (sign == std::string_view::npos) continue;
    const std::string_view value = trimmed(line.substr(sign + 1));
    if (value != "(null)" && value != "N/A") values_.emplace(trimmed(line.substr(0, sign)), value);
  }
}

std::string SlurmSettings::get(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string() : found->second;
}

std::vector<Finding> check_slurm(const SlurmSettings& settings) {
  return {check_binding(settings), check_selection(settings), check_fence(settings),
          check_accounting(settings)};
}

std::vector<Finding> check_privacy(const SlurmSettings& settings, const Policy& policy) {
  if (policy.readers == Readers::kOwner || !lists(settings.get("PrivateData"), "jobs")) return {};
  return {warning(
      "privacy",
      fmt::format("PrivateData is {}, and profiles.readable_by lets {} read which jobs a user "
                  "ran",
                  settings.get("PrivateData"),
                  policy.readers == Readers::kAll ? "everybody" : "the user's group"),
      "set profiles.readable_by to \"owner\" in huddle.toml; folders that are open already "
      "stay so until their modes are changed (chmod -R go= in the store)")};
}

}  // namespace huddle::doctor
