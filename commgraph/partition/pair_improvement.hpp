#pragma once

// Internal to commgraph/partition.

#include <array>
#include <cstdint>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"
#include "commgraph/partition/part_members.hpp"

namespace huddle {

/// The 2-way procedure of Kernighan and Lin, on two parts of many. Holds what it works with, so one
/// object serves many pairs; not safe for use by two threads at once. `graph` and `members` must
/// outlive it.
class PairImprovement {
 public:
  PairImprovement(const GraphView& graph, PartMembers& members);

  /// Makes passes over parts `a` and `b` until one gains nothing; returns whether any gained.
  bool improve(std::uint32_t a, std::uint32_t b);

 private:
  // A vertex of the two parts by its number among them.
  using Local = std::uint32_t;
  __extension__ typedef __int128 Gain;

  struct Arc {
    Local to = 0;
    std::uint64_t weight = 0;
  };
  struct Swap {
    Local a = 0;
    Local b = 0;
    Gain gain = 0;
  };
  // The vertices of one side that were not set aside, first those whose move gains most.
  using Side = std::vector<Local>;

  bool pass(std::uint32_t a, std::uint32_t b);
  bool gather(std::uint32_t a, std::uint32_t b);
  bool add_arcs_of(Local local);
  void add_arc(Local from, Local to, std::uint64_t weight);
  [[nodiscard]] Swap best_swap();
  void set_aside(Local local);
  void shift(Local local, std::uint64_t weight, bool gains);
  [[nodiscard]] Side::iterator place_in_order(Local local);
  [[nodiscard]] std::uint32_t side_of(Local local) const { return local < size_of_a_ ? 0 : 1; }
  [[nodiscard]] bool comes_before(Local x, Local y) const {
    return gain_[x] != gain_[y] ? gain_[x] > gain_[y] : x < y;
  }

  const GraphView& graph_;
  PartMembers& members_;

  // By vertex of the graph: its Local, or none.
  std::vector<Local> local_;
  // By Local.
  std::vector<Vertex> vertex_;
  Local size_of_a_ = 0;
  std::vector<std::uint64_t> first_arc_;
  std::vector<Arc> arcs_;
  // What moving the vertex alone to the other side would gain: D of the paper. It is a difference
  // of sums of different edges, and those of the whole graph sum to less than 2^63.
  std::vector<std::int64_t> gain_;
  std::vector<bool> is_aside_;
  std::array<Side, 2> sides_;
  // Of the vertex that is being looked at, by Local; all 0 between.
  std::vector<std::uint64_t> weight_to_;
  std::vector<Swap> swaps_;
};

}  // namespace huddle
