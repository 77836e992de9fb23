#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profiles/vocabulary/recorder_environment.hpp"

namespace huddle::recorder {

/// What the launcher told this process, before MPI can be asked.
struct Launch {
  /// In MPI_COMM_WORLD. Nothing if no launcher started this process.
  std::optional<std::uint32_t> rank;
  /// Of MPI_COMM_WORLD; 0 if the launcher did not tell.
  std::uint32_t ranks = 0;
  /// Among the ranks of this node, as the launcher numbers them. Nothing if it did not tell.
  std::optional<std::uint32_t> local_rank;
  /// The same text in all ranks of a run, and in no other run; empty if the launcher names no run.
  std::string run;

  /// Reads the variables of mpirun, PMIx, PMI and Slurm.
  static Launch from(const Environment& environment);
};

}  // namespace huddle::recorder
