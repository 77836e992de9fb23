#include "aggregator/commands/setup/setup_parts.hpp"

#include <chrono>
#include <set>
#include <sstream>

#include "aggregator/operations/doctor/slurm_settings.hpp"
#include "profiles/processes/child_process.hpp"

namespace huddle::cli {
namespace {

// Empty if it failed: Slurm's commands try for a minute to reach a slurmctld that is not there.
std::string answer_of(const std::vector<std::string>& command) {
  constexpr std::chrono::seconds kPatience{10};
  constexpr std::size_t kMostBytes = std::size_t{16} << 20U;
  const processes::ChildResult result = processes::run_child(command, kPatience, {}, kMostBytes);
  return result.timed_out || result.status != 0 ? std::string() : result.output;
}

}  // namespace

std::vector<SlurmNode> read_nodes(std::string_view lines) {
  std::istringstream stream{std::string(lines)};
  std::vector<SlurmNode> nodes;
  std::set<std::string> names;
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    SlurmNode node;
    if (words >> node.name >> node.packages >> node.cores_per_package &&
        names.insert(node.name).second)
      nodes.push_back(std::move(node));
  }
  return nodes;
}

SlurmSite ask_slurm_for_nodes() {
  SlurmSite site;
  const doctor::SlurmSettings settings(answer_of({"/usr/bin/env", "scontrol", "show", "config"}));
  site.cluster = settings.get("ClusterName");
  if (site.cluster.empty()) return site;
  site.nodes =
      read_nodes(answer_of({"/usr/bin/env", "sinfo", "--Node", "--noheader", "--format=%N %X %Y"}));
  site.power_saving = power_saving_of(
      settings, answer_of({"/usr/bin/env", "scontrol", "--oneliner", "show", "partition"}),
      answer_of({"/usr/bin/env", "scontrol", "--oneliner", "show", "nodes"}),
      [](const std::string& list) {
        return answer_of({"/usr/bin/env", "scontrol", "show", "hostnames", list});
      });
  return site;
}

}  // namespace huddle::cli
