#pragma once

// Options of sbatch, salloc and srun that say where ranks go and how they are bound there, and
// which of their values say what a plan does anyway: one rank a core, bound to it, in the ranks'
// order.

#include <array>
#include <cstdint>
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

/// True if `value` of the option (its long name) is no wish of its own: "cores" of cpu-bind,
/// "block" of distribution, 1 of threads-per-core. Letter case is as Slurm takes it.
bool says_what_plans_do(std::string_view option, std::string_view value);

/// The numbers that a job was submitted with; 0: not known.
struct RequestedSize {
  std::uint32_t nodes = 0;
  std::uint32_t ranks = 0;
};

/// The numbers by which a step is placed, as its words give them; empty where they give none.
struct StepSize {
  std::string_view nodes = {};
  std::string_view ranks = {};
  std::string_view ranks_per_node = {};
};

/// True if the step repeats its job's numbers, so that in a packed job it means the packed ones.
/// False of one rank a node: such steps often prepare something on each. A script may name
/// Slurm's variables ("$SLURM_NNODES", "${SLURM_NTASKS}").
bool repeats_request(const StepSize& step, const RequestedSize& job);

/// True if the word is a variable of Slurm's that repeats_request() takes for the job's nodes.
bool names_nodes_of_job(std::string_view word);

}  // namespace huddle::submission
