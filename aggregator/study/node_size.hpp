#pragma once

// Sizes of a partition's nodes: from a machine document, or learnt from the jobs that had whole
// nodes.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "profiles/formats/machine/machine.hpp"

namespace huddle::study {

/// A node as jobs see it.
struct NodeSize {
  /// As Slurm counts them, cores or hardware threads; 0: not known.
  std::uint32_t cpus = 0;
  /// CPUs of Slurm's that are one core.
  std::uint32_t cpus_per_core = 1;
  /// 0: not known.
  double memory_bytes = 0;
  std::uint32_t packages = 2;
  std::uint32_t dies_per_package = 1;
  std::uint32_t numa_per_package = 0;
  /// Absent: learnt from jobs.
  std::optional<Machine> machine;
};

/// The CPUs and the memory that the jobs of a partition had of their nodes.
class NodesSeen {
 public:
  /// A job of `nodes` nodes had `cpus` on each, and asked for `requested` on all together.
  void add(std::uint32_t nodes, std::uint32_t cpus, std::uint32_t requested, double memory_bytes);

  /// The most CPUs that a node gave a job, if several jobs got so many without asking for a quarter
  /// of them: these had whole nodes. The memory is the most that a job had of such a node. Since
  /// nobody says whether a CPU is a core or a hardware thread, two are taken to be a core.
  [[nodiscard]] NodeSize learnt() const;
  /// The most CPUs of a node that a job had; 0 if there were none.
  [[nodiscard]] std::uint32_t most_cpus() const;
  /// The most memory of a node that a job had with so many CPUs of it; 0: not recorded.
  [[nodiscard]] double memory_with(std::uint32_t cpus) const;

 private:
  struct Seen {
    std::uint64_t asked_for_little = 0;
    double memory_bytes = 0;
  };
  std::map<std::uint32_t, Seen> by_cpus_;
};

/// The node of a document. Whether Slurm counts its cores or its threads is for `seen`: if some job
/// had more CPUs of a node than it has cores, threads are counted. Throws FormatError if its
/// topology can't be read.
NodeSize node_of(const Machine& machine, const NodesSeen& seen);

}  // namespace huddle::study
