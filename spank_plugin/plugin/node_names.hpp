#pragma once

#include <string>
#include <vector>

namespace huddle {

/// The single names in Slurm's short form of a node list: "n[0-2,7]" is n0, n1, n2 and n7. Throws
/// Error if Slurm can't read it.
std::vector<std::string> expand_node_names(const std::string& node_list);

}  // namespace huddle
