#include "aggregator/study/node_size.hpp"

#include <algorithm>

#include "commgraph/topology/node_topology.hpp"

namespace huddle::study {

void NodesSeen::add(std::uint32_t nodes, std::uint32_t cpus, std::uint32_t requested,
                    double memory_bytes) {
  constexpr std::uint64_t kLittle = 4;
  Seen& seen = by_cpus_[cpus];
  if (kLittle * requested < std::uint64_t{cpus} * nodes) ++seen.asked_for_little;
  seen.memory_bytes = std::max(seen.memory_bytes, memory_bytes / nodes);
}

NodeSize NodesSeen::learnt() const {
  constexpr std::uint64_t kSeveral = 3;
  NodeSize size;
  size.cpus_per_core = 2;
  if (by_cpus_.empty()) return size;
  const auto& [cpus, seen] = *by_cpus_.rbegin();
  if (seen.asked_for_little < kSeveral) return size;
  size.cpus = cpus;
  size.memory_bytes = seen.memory_bytes;
  return size;
}

std::uint32_t NodesSeen::most_cpus() const {
  return by_cpus_.empty() ? 0 : by_cpus_.rbegin()->first;
}

double NodesSeen::memory_with(std::uint32_t cpus) const {
  const auto seen = by_cpus_.find(cpus);
  return seen == by_cpus_.end() ? 0 : seen->second.memory_bytes;
}

NodeSize node_of(const Machine& machine, const NodesSeen& seen) {
  const commgraph::NodeTopology node =
      commgraph::load_topology(machine.topology, "the topology of machine " + machine.name);
  NodeSize size;
  const auto cores = static_cast<std::uint32_t>(node.cores.size());
  std::uint32_t threads = 0;
  for (const auto& core : node.cores) threads += static_cast<std::uint32_t>(core.pus.size());
  size.cpus = seen.most_cpus() > cores ? threads : cores;
  size.cpus_per_core = size.cpus / cores;
  size.memory_bytes = static_cast<double>(machine.node_memory.value);
  if (size.memory_bytes == 0) size.memory_bytes = seen.memory_with(size.cpus);
  size.packages = node.packages;
  size.dies_per_package = node.dies_per_package;
  size.numa_per_package = node.numa_per_package;
  size.machine = machine;
  return size;
}

}  // namespace huddle::study
