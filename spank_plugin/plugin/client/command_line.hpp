#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace huddle {

/// What is on the command line of sbatch, salloc or srun, as opposed to its environment.
struct CommandLine {
  /// By their long names; the value of one that has none is empty. Of one that is there twice the
  /// last counts.
  std::map<std::string, std::string> options;
  /// The script or program, and what follows it. A ":" of a heterogeneous job is left out.
  std::vector<std::string> program;
};

/// Reads the words (the command's own name first) by Slurm's own table of options. Nothing if this
/// Slurm does not show it. For one thread, and not while Slurm itself reads its options.
std::optional<CommandLine> read_command_line(std::vector<std::string> words);

}  // namespace huddle
