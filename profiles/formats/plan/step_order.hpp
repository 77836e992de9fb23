#pragma once

// Assignment of the tasks of a job's steps to nodes. A step may leave files on a node's own disk
// for the next one: tasks that shared a node in the job as submitted must share one by its plan.

#include <cstdint>
#include <optional>
#include <vector>

#include "profiles/formats/plan/plan.hpp"

namespace huddle {

/// The number of `tasks` tasks that Slurm's block distribution puts on each node, node i having
/// `room[i]` CPUs for them: one on each node in turn, as long as it has room, and consecutive tasks
/// on one node. Tasks without room go on each node in turn. Empty if there is no node.
std::vector<std::uint32_t> block_distribution(std::uint32_t tasks,
                                              const std::vector<std::uint32_t>& room);

/// The plan's node for each task of a step of its job. As many tasks as the plan has ranks
/// go where these go; of another number, each goes to the node of the first rank that shared its
/// own in the job as submitted. Nothing if the plan does not know how that was.
std::optional<std::vector<std::uint32_t>> nodes_of_step(const Plan& plan, std::uint32_t tasks);

/// Tells if with nodes_of_step() a step of so many tasks shares nodes with all ranks that it shared
/// them with in the job as submitted. False if that is not known.
bool shares_as_submitted(const Plan& plan, std::uint32_t tasks);

/// Tells if the plan's nodes have CPUs for tasks with `cpus` of them each: no more on a node than
/// it has cores, or its ranks take, or than Slurm would put there itself.
bool has_room(const Plan& plan, const std::vector<std::uint32_t>& nodes_of_tasks,
              std::uint32_t cpus);

/// Tells if both put the same ranks on each node.
bool same_order(const Plan& a, const Plan& b);

}  // namespace huddle
