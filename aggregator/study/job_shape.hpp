#pragma once

#include <cstdint>
#include <optional>

#include "aggregator/study/node_size.hpp"
#include "aggregator/study/verdict.hpp"

namespace huddle::study {

/// Memory of a task as one of few steps, 4.5 % apart from 64 MiB on, and never below it: jobs of
/// one shape are counted together, and so little memory fills no node.
std::uint16_t memory_step(double bytes);
double bytes_of_step(std::uint16_t step);
/// The same for memory of a script, of which there is one in a job: each step is twice as much.
std::uint16_t script_memory_step(double bytes);

/// The part of a job that decides on how many nodes it could run.
struct JobShape {
  std::uint32_t nodes = 0;
  /// Nodes that its steps used.
  std::uint32_t step_nodes = 0;
  std::uint32_t tasks = 0;
  /// CPUs that it had of each node.
  std::uint32_t cpus = 0;
  std::uint32_t cpus_of_task = 1;
  /// Memory of its largest task, by memory_step(), and of its batch script: one of its steps, too.
  std::uint16_t task_memory = 0;
  std::uint16_t script_memory = 0;

  friend bool operator==(const JobShape&, const JobShape&) = default;
};

/// Precondition: verdict_of() leaves it open.
JobShape shape_of(const DumpedJob& job);

/// The fewest nodes that a shape fits on, or why it can't have fewer than it has.
struct FewestNodes {
  Verdict verdict = Verdict::kCouldUseFewer;
  std::uint32_t nodes = 0;
};

/// Each task gets as many whole cores as it has, and a tenth more memory than was seen, since it
/// was seen at intervals only.
FewestNodes fewest_nodes(const JobShape& shape, const NodeSize& node);

/// Cores of a node that are busy when the tasks are on so many nodes.
std::uint32_t busy_cores(const JobShape& shape, const NodeSize& node, std::uint32_t nodes);

}  // namespace huddle::study
