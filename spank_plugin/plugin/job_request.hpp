#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "spank_plugin/plugin/slurm_options.hpp"

namespace huddle {

/// What a user submits, as far as packing is concerned.
struct JobRequest {
  /// The job's name.
  std::string label;
  /// How many tasks, that is MPI ranks.
  std::uint32_t ranks = 0;
  /// How many nodes the user asked for, the most of a range; 0 if that was left to Slurm.
  std::uint32_t nodes = 0;
  /// How many cores each rank has (--cpus-per-task).
  std::uint32_t cores_per_rank = 1;
  /// The size of its problem; absent if the user did not say it.
  std::optional<double> size;
  /// Why the job must be left as it is; empty if it may be packed.
  std::string why_not_packed;
  /// Whether its ranks were placed or bound by the user, or may share their nodes: then they are
  /// not moved while they are measured.
  bool placed_by_user = false;
  /// Why the job can't be measured; empty if it can.
  std::string why_not_measured;
  /// Whether the user sets frequencies (--cpu-freq).
  bool sets_frequency = false;
  /// Whether Slurm is only asked when the job could start (--test-only).
  bool only_tested = false;
};

/// Reads the options of this process. Throws Error if they can't be understood.
JobRequest read_request(const SlurmOptions& options);

}  // namespace huddle
