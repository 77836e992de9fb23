#include "aggregator/study/job_shape.hpp"

#include <algorithm>
#include <cmath>

namespace huddle::study {
namespace {

constexpr double kStepsInOctave = 16;
constexpr double kLeastBytes = 1 << 26;
constexpr double kHeadroom = 1.1;

std::uint32_t ratio_up(std::uint32_t a, std::uint32_t b) {
  return a / b + (a % b > 0 ? 1U : 0U);
}

std::uint32_t cores_of_task(const JobShape& shape, const NodeSize& node) {
  return ratio_up(shape.cpus_of_task, node.cpus_per_core);
}

}  // namespace

std::uint16_t memory_step(double bytes) {
  if (!(bytes > kLeastBytes)) return 0;
  // An exact step stays where it is in spite of rounding.
  constexpr double kRounding = 1e-9;
  const double step = std::ceil(kStepsInOctave * std::log2(bytes / kLeastBytes) - kRounding);
  return static_cast<std::uint16_t>(std::min(step, 1000.0));
}

std::uint16_t script_memory_step(double bytes) {
  const std::uint16_t step = memory_step(bytes);
  constexpr std::uint16_t kOctave = 16;
  return static_cast<std::uint16_t>((step + kOctave - 1) / kOctave * kOctave);
}

double bytes_of_step(std::uint16_t step) {
  return kLeastBytes * std::exp2(step / kStepsInOctave);
}

JobShape shape_of(const DumpedJob& job) {
  return {job.nodes,
          job.steps.nodes,
          job.steps.tasks,
          job.cpus / job.nodes,
          cpus_of_task(job),
          memory_step(job.steps.task_bytes),
          script_memory_step(job.script_bytes)};
}

FewestNodes fewest_nodes(const JobShape& shape, const NodeSize& node) {
  if (node.cpus == 0) return {Verdict::kNodeUnknown, shape.nodes};
  if (shape.cpus != node.cpus) return {Verdict::kShared, shape.nodes};
  if (!(node.memory_bytes > 0)) return {Verdict::kNodeMemoryUnknown, shape.nodes};
  const std::uint32_t cores = node.cpus / node.cpus_per_core;
  const std::uint32_t by_cores = cores / cores_of_task(shape, node);
  if (by_cores < ratio_up(shape.tasks, shape.step_nodes) ||
      ratio_up(shape.tasks, by_cores) >= shape.nodes)
    return {Verdict::kFillsCores, shape.nodes};
  const double room = node.memory_bytes - bytes_of_step(shape.script_memory);
  const double by_memory = std::floor(room / (kHeadroom * bytes_of_step(shape.task_memory)));
  if (by_memory < 1) return {Verdict::kFillsMemory, shape.nodes};
  const auto together =
      static_cast<std::uint32_t>(std::min(by_memory, static_cast<double>(by_cores)));
  const std::uint32_t fewest = ratio_up(shape.tasks, together);
  if (fewest >= shape.nodes) return {Verdict::kFillsMemory, shape.nodes};
  return {Verdict::kCouldUseFewer, fewest};
}

std::uint32_t busy_cores(const JobShape& shape, const NodeSize& node, std::uint32_t nodes) {
  return ratio_up(shape.tasks, nodes) * cores_of_task(shape, node);
}

}  // namespace huddle::study
