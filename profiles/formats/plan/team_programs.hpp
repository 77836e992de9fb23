#pragma once

#include <string>
#include <vector>

namespace huddle {

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
