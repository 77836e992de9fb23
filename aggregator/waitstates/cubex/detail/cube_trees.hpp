#pragma once

// The two trees that values of a Cube file belong to. Their nodes are numbered as they are met from
// the root on, children behind their parent: then readers that number them by themselves come to
// the same.

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/waitstates/replay/wait_report.hpp"

namespace huddle {

struct CubeCallTree {
  struct Node {
    std::uint32_t path = CallPath::kRoot;  ///< of the report; kRoot: the root
    std::uint32_t depth = 0;
    std::uint32_t region = 0;  ///< an index of `regions`
  };
  struct Region {
    std::string name;
    bool mpi = false;
    std::string file = {};  ///< of the source; empty: unknown
    std::uint32_t line = 0;
    friend auto operator<=>(const Region&, const Region&) = default;
  };
  /// The root first, which is no region of the trace: time in no known region is its own, and
  /// traces may have several outermost regions.
  std::vector<Node> nodes;
  std::vector<std::uint32_t> node_of_path;
  std::vector<Region> regions;
};
CubeCallTree cube_call_tree(const WaitReport& report);

struct CubeSystemTree {
  struct Process {
    std::uint32_t rank = 0;
    std::vector<std::uint32_t> locations;  ///< of the report, by thread
  };
  struct Node {
    std::string name;  ///< empty: the trace does not have it
    std::vector<Process> processes;
  };
  std::vector<Node> nodes;  ///< by their lowest rank
  /// Where a location of the report stands among all of the tree.
  std::vector<std::uint32_t> place_of_location;
};
/// A rank is on the node of its first thread.
CubeSystemTree cube_system_tree(const WaitReport& report);

}  // namespace huddle
