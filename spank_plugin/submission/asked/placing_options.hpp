#pragma once

// srun's options that say where a step's tasks go and how they are bound there.

#include <array>
#include <string_view>

namespace huddle::submission {

/// One of them, and what follows from it.
struct PlacingOption {
  /// Slurm's long name.
  const char* name = "";
  /// Its letter; 0: it has none.
  char letter = 0;
  /// A step with it would be placed otherwise, or fail, on fewer nodes: where a script or a
  /// measured step has it, the job keeps its nodes.
  bool needs_nodes = true;
  /// In a packed job a step with it goes where it says, not where the plan says. False of those
  /// that Slurm sets itself in every step, from what its job got: they need not be the user's.
  bool over_plan = true;
};

inline constexpr std::array kPlacingOptions = {
    PlacingOption{.name = "nodes", .letter = 'N', .over_plan = false},
    PlacingOption{.name = "ntasks-per-node", .over_plan = false},
    PlacingOption{.name = "ntasks-per-socket"},
    PlacingOption{.name = "ntasks-per-core"},
    PlacingOption{.name = "ntasks-per-gpu"},
    PlacingOption{.name = "nodelist", .letter = 'w'},
    PlacingOption{.name = "nodefile", .letter = 'F'},
    PlacingOption{.name = "relative", .letter = 'r'},
    PlacingOption{.name = "distribution", .letter = 'm'},
    PlacingOption{.name = "cpu-bind"},
    PlacingOption{.name = "mem-bind"},
    PlacingOption{.name = "exclude", .letter = 'x'},
    PlacingOption{.name = "sockets-per-node"},
    PlacingOption{.name = "cores-per-socket"},
    PlacingOption{.name = "threads-per-core"},
    PlacingOption{.name = "extra-node-info", .letter = 'B'},
    PlacingOption{.name = "contiguous"},
    PlacingOption{.name = "mincpus"},
    PlacingOption{.name = "overcommit", .letter = 'O', .needs_nodes = false},
};

}  // namespace huddle::submission
