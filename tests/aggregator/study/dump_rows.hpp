#pragma once

// Rows of sacct's for tests, each with figures that a test changes.

#include <fmt/format.h>

#include <string>

namespace huddle::study {

inline const std::string kHeader =
    "JobID|Cluster|Partition|Account|User|JobName|State|Start|End|ElapsedRaw|NNodes|NTasks|"
    "AllocCPUS|ReqCPUS|TotalCPU|MaxRSS|AllocTRES\n";

/// A job with one step on whole nodes of 48 CPUs and 180 GiB.
struct JobRows {
  std::string id = "17";
  std::string cluster = "site";
  std::string partition = "batch";
  std::string account = "physics";
  std::string user = "ann";
  std::string name = "run_17";
  std::string program = "halo";
  std::string state = "COMPLETED";
  unsigned elapsed = 3600;
  unsigned nodes = 4;
  unsigned tasks = 16;
  unsigned cpus_of_node = 48;
  unsigned requested = 16;
  /// CPU time of a task over the step's.
  double busy = 0.95;
  std::string task_memory = "1048576K";
  std::string more_resources = "";
  bool with_step = true;

  [[nodiscard]] std::string text() const {
    std::string rows = fmt::format(
        "{}|{}|{}|{}|{}|{}|{}|2026-03-01T10:00:00|2026-03-01T11:00:00|{}|{}||{}|{}|00:01||"
        "billing={},cpu={},mem={}G,node={}{}\n",
        id, cluster, partition, account, user, name, state, elapsed, nodes, cpus_of_node * nodes,
        requested, cpus_of_node * nodes, cpus_of_node * nodes, 180 * nodes, nodes, more_resources);
    rows += fmt::format(
        "{}.batch|{}||{}||batch|{}|2026-03-01T10:00:00|2026-03-01T11:00:00|{}|1|1|{}|{}|00:01|"
        "2000K|cpu={}\n",
        id, cluster, account, state, elapsed, cpus_of_node, cpus_of_node, cpus_of_node);
    if (with_step) rows += step("0", "2026-03-01T10:00:00", "2026-03-01T11:00:00", elapsed);
    return rows;
  }
  [[nodiscard]] std::string step(const std::string& number, const std::string& start,
                                 const std::string& end, unsigned seconds) const {
    const auto cpu_seconds = static_cast<unsigned>(busy * tasks * seconds);
    return fmt::format("{}.{}|{}||{}||{}|{}|{}|{}|{}|{}|{}|{}|{}|{}:00|{}|cpu={}\n", id, number,
                       cluster, account, program, state, start, end, seconds, nodes,
                       tasks == 0 ? "" : std::to_string(tasks), cpus_of_node * nodes, requested,
                       cpu_seconds / 60, task_memory, tasks);
  }
};

}  // namespace huddle::study
