#pragma once

// The parts that a plan and a decision have in common.

#include <cstdint>
#include <string>
#include <vector>

namespace huddle {

/// The size of each node that a plan is made for, all of it, whether ranks use it or not.
struct NodeShape {
  /// Each 1 or more.
  std::uint32_t packages = 0;
  std::uint32_t cores = 0;

  friend bool operator==(const NodeShape&, const NodeShape&) = default;
};

/// The programs, by their builds, in whose regions a choice for teams was looked for.
struct TeamPrograms {
  /// Ascending, none twice; empty if it is not known.
  std::vector<std::string> builds;
  /// Those of them whose teams could have another size then, as their user allowed it: where that
  /// is other now, the choice is to be made anew. Ascending.
  std::vector<std::string> sized;

  friend bool operator==(const TeamPrograms&, const TeamPrograms&) = default;
};

}  // namespace huddle
