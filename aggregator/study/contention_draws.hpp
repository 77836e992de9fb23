#pragma once

// The unknown slowdown of programs on fuller nodes, as draws from what is usual.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "aggregator/predict/computation/shared_model.hpp"
#include "aggregator/study/node_size.hpp"

namespace huddle::study {

/// One program's demand of caches and memory in one draw: standard normal numbers, which each shape
/// of contention scales by its own prior.
using DrawnDemand = std::array<double, predict::kDemandParameters>;

/// The demand of `program` in draw `draw`: always the same for the same name, and independent
/// between programs.
DrawnDemand drawn_demand(std::string_view program, std::uint32_t draw);

/// The contention on one kind of node. In a draw, the mechanism, the memory's bandwidth and the
/// fall of the clock are one for all programs, since they run on the same nodes; programs differ by
/// their demand. May be used by several threads.
class NodeContention {
 public:
  /// The usual contention (predict::usual_contention), narrowed by the memory streams of the node's
  /// machine, if it has some.
  explicit NodeContention(const NodeSize& node);

 private:
  friend class ProgramContention;
  std::uint32_t packages_;
  std::uint32_t dies_per_package_;
  std::uint32_t numa_per_package_;
  predict::SharedModel model_;
};

/// One program on one kind of node, in one draw. For one thread.
class ProgramContention {
 public:
  /// `node` must outlive it.
  ProgramContention(const NodeContention& node, std::uint32_t draw, const DrawnDemand& demand);

  /// Time of computation when so many cores of a node are busy, spread over all its packages and
  /// dies, in any unit: only ratios mean something.
  double time(std::uint32_t busy_cores);

 private:
  [[nodiscard]] double computed(std::uint32_t busy_cores) const;

  const NodeContention& node_;
  const predict::ContentionModel& model_;
  predict::DemandParameters demand_;
  /// The times that were asked for, by the number of busy cores up to some hundred; 0: none yet.
  std::vector<double> known_;
};

}  // namespace huddle::study
