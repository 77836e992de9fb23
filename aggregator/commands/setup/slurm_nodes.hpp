#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace huddle {

/// A node as Slurm is configured.
struct SlurmNode {
  std::string name;
  std::uint32_t packages = 0;
  std::uint32_t cores_per_package = 0;
};

/// What Slurm says of the site.
struct SlurmSite {
  /// Empty if Slurm does not answer.
  std::string cluster;
  std::vector<SlurmNode> nodes;
};

/// Takes apart lines of "NAME PACKAGES CORES", as sinfo prints them; others, and names that were
/// there already, are left out.
std::vector<SlurmNode> read_nodes(std::string_view lines);

/// Asks scontrol and sinfo, at most 10 s each.
SlurmSite ask_slurm_for_nodes();

}  // namespace huddle
