#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle::submission {

/// A value of --mem or --mem-per-cpu: a number with K, M, G or T, or MiB without. Nothing for 0,
/// which stands for all of a node's memory and not for an amount, and for any other text. Slurm's
/// own form of it may end in "?".
std::optional<Bytes> parse_memory(std::string_view text);

/// A value of --time: minutes, minutes:seconds, hours:minutes:seconds, and days with a "-" in front
/// of hours. Nothing for UNLIMITED and for any other text.
std::optional<Seconds> parse_time_limit(std::string_view text);

/// A value of SLURM_TASKS_PER_NODE, such as "5,1(x3)": how many tasks each of a job's nodes gets,
/// in the nodes' order. Nothing for any other text, and for more than 2^20 nodes.
std::optional<std::vector<std::uint32_t>> parse_tasks_per_node(std::string_view text);

/// Such a text for these numbers of tasks.
std::string text_of_tasks_per_node(const std::vector<std::uint32_t>& tasks);

/// The number of members of a value of --array, such as "1-1000:2,7%4"; nothing for any other text.
std::optional<std::uint32_t> parse_array_size(std::string_view text);

/// The resources that a value of --tres-per-task (from Slurm 23.11 on) gives each task, such as
/// "cpu=8,license/x=1"; 23.11 writes ":" in place of "=".
struct TresPerTask {
  /// Absent: the text says nothing of CPUs.
  std::optional<std::uint32_t> cpus = {};
  /// True if it names GPUs or other devices (gres).
  bool has_devices = false;
};
TresPerTask parse_tres_per_task(std::string_view text);

/// Such a value without what it says of CPUs; empty if it says nothing else.
std::string tres_without_cpus(std::string_view text);

}  // namespace huddle::submission
