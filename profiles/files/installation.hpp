#pragma once

#include <filesystem>

namespace huddle::files {

/// Where this installation's files are.
struct Installation {
  /// The command `huddle`.
  std::filesystem::path command;
  /// The folder of what is loaded into or started beside users' programs: recorders, the helper of
  /// mpirun, MPI programs.
  std::filesystem::path modules;
};

/// Beside the executable of this process if that is the command `huddle`, installed under any
/// prefix or in a build tree; otherwise where the build was configured to install to, as in Slurm's
/// processes, which trust nothing that a user can move.
Installation installation();

/// The same for a process that runs `executable`.
Installation installation_of(const std::filesystem::path& executable);

}  // namespace huddle::files
