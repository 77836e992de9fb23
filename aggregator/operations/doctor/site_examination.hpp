#pragma once

// Examines a site: Slurm's settings, this machine, and the nodes of an allocation.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "aggregator/operations/doctor/node_examination.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::doctor {

struct SiteQuestion {
  /// Number of nodes to examine in an allocation of their own; 0: those of the allocation that this
  /// process runs in, if there is one.
  std::uint32_t nodes = 0;
  /// This machine. Its policy file and the places of plugins are completed by what Slurm says.
  NodeQuestion here;
  /// The command that asks the same question inside an allocation.
  std::vector<std::string> command_inside;
  /// The command that examines a node as a task of the site's question, and prints its report
  /// in_pieces(). `here` is complete; `probe` is for NodeQuestion::probe.
  std::function<std::vector<std::string>(const NodeQuestion& here, const std::string& probe)>
      command_on_node;
};

/// The findings, merged. Changes nothing. If nodes are wanted, there is a Slurm and this process is
/// in no job, it becomes salloc with `command_inside` and does not return. Throws SystemError if
/// salloc or srun can't be started, NotFound if Slurm does not name the nodes.
std::vector<Finding> examine_site(SiteQuestion question);

}  // namespace huddle::doctor
