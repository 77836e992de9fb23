#pragma once

// What nodes drew while a program was traced, in place of assumed power states.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiles/traces/trace.hpp"

namespace huddle::waitstates {

/// A node whose power the trace has, for people.
struct MeasuredNode {
  std::string node;
  std::vector<std::string> sensors;  ///< what adds up
  double mean_w = 0;                 ///< of all of them, from begin to end
  std::uint64_t begin = 0;           ///< ticks: when all of them are known
  std::uint64_t end = 0;
  std::uint64_t samples = 0;
  friend bool operator==(const MeasuredNode&, const MeasuredNode&) = default;
};

/// The energy of one node over time. Immutable.
class NodePower {
 public:
  /// All of one node, with two samples or more each. `threads`: how many traced ones it has.
  NodePower(const std::vector<const traces::TracePower*>& sensors, double ticks_per_second,
            std::size_t threads);

  /// What one thread's share of the node took between two times, and for how many ticks of them the
  /// power is known.
  struct Share {
    double joules = 0;
    std::uint64_t known_ticks = 0;
  };
  [[nodiscard]] Share share(std::uint64_t from, std::uint64_t to) const;
  [[nodiscard]] const MeasuredNode& described() const { return described_; }

 private:
  struct Series {
    std::vector<std::uint64_t> times;
    std::vector<double> joules;  ///< since the first sample
    [[nodiscard]] double until(std::uint64_t time) const;
  };
  std::vector<Series> series_;
  double threads_;
  MeasuredNode described_;
};

/// The measured power of a trace's nodes. Immutable.
class MeasuredPower {
 public:
  MeasuredPower() = default;
  /// Of a node without a name nobody knows which threads it has. A node of which a sensor has fewer
  /// than two samples, or whose sensors have no time in common, is as one without.
  MeasuredPower(const std::vector<traces::TracePower>& power,
                const traces::TraceDefinitions& definitions);

  /// Null if the power of this location's node was not measured.
  [[nodiscard]] const NodePower* of(const traces::TraceDefinitions& definitions,
                                    std::uint32_t location) const;
  /// By name.
  [[nodiscard]] std::vector<MeasuredNode> nodes() const;

 private:
  std::map<std::string, NodePower> nodes_;
};

}  // namespace huddle::waitstates
