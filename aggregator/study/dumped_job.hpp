#pragma once

// A job as a dump of sacct has it: its own row, and what its steps' rows say together.

#include <cstdint>
#include <string_view>

namespace huddle::study {

enum class JobState : std::uint8_t { kCompleted, kRunning, kPending, kEndedOtherwise };

/// The rows of a job's numbered steps (those that srun started), put together.
struct DumpedSteps {
  std::uint32_t count = 0;
  /// True if two of them ran at one time.
  bool overlap = false;
  /// True if the number of tasks, the memory or the CPU time of a step that took a twentieth of the
  /// job's time or more is missing.
  bool lacks_tasks = false;
  bool lacks_memory = false;
  bool lacks_cpu_time = false;
  /// Sum over the steps, in s.
  double elapsed_s = 0;
  /// The most of any step.
  std::uint32_t tasks = 0;
  std::uint32_t nodes = 0;
  /// Most memory of a task (MaxRSS).
  double task_bytes = 0;
  /// CPU time of a task over the step's time: its busy cores. The most of those that took a
  /// twentieth of the job's time or more.
  double busy_cores = 0;
  /// Name of the step that took most node-seconds.
  std::string_view program;
};

/// Texts live as long as the call that gets the job.
struct DumpedJob {
  std::string_view cluster;
  std::string_view partition;
  std::string_view account;
  std::string_view user;
  std::string_view name;
  JobState state = JobState::kEndedOtherwise;
  double elapsed_s = 0;
  /// Allocated; 0: it never ran.
  std::uint32_t nodes = 0;
  std::uint32_t cpus = 0;
  std::uint32_t requested_cpus = 0;
  /// Allocated on all nodes together; 0: not recorded.
  double memory_bytes = 0;
  /// Slurm's charge for each second, from the partition's billing weights; 0: not recorded.
  double billing = 0;
  /// Most memory of its batch script.
  double script_bytes = 0;
  bool has_gpus = false;
  /// True for a component of a heterogeneous job.
  bool is_component = false;
  /// True if a broken line stood among its rows, or right behind them.
  bool is_broken = false;
  DumpedSteps steps;
};

}  // namespace huddle::study
