#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle::commgraph {

/// The predicted time of all messages between two ranks, both ways together.
struct PairTime {
  /// If both are on one node.
  Seconds intra;
  /// If they are on different nodes.
  Seconds inter;
};

/// Times that differ by less than this share of the larger one are equal: what is left of such a
/// difference is rounding, whose inverse would drown every real one.
inline constexpr double kEqualTimes = 1e-12;

/// Returns the cost of not colocating each pair of communicating ranks: the edge costs of Li et
/// al., "Power-Aware MPI Task Aggregation Prediction for High-End Computing Systems", section IV.B:
///
///   intra >  inter:  c = 1 / (intra - inter), in 1/s
///   intra <= inter:  c = C + (inter - intra), C = k^2 x max(1 / (intra - inter)) (4)
///
/// where k is the number of ranks on a node (`ranks_per_node`; so k^2 is the most edges between two
/// nodes) and the maximum is over the pairs with intra > inter. So one pair that gains by being on
/// one node outweighs all the pairs between two nodes that lose by it. If no pair loses, C is 0 and
/// the cost is the time that colocation saves, 0 where it saves none.
///
/// The paper adds seconds to 1/s; so does this. Where C is more than 2^53 times a pair's saving,
/// the saving is lost in the sum: then all the pairs that gain weigh alike.
///
/// Pass only pairs that exchange messages: any other would get C, as if it gained. The result is
/// parallel to `pairs`. Throws Error if a time is negative or not finite, or a cost is too large
/// for a double. Safe from any thread; so is the function below.
std::vector<double> colocation_costs(std::span<const PairTime> pairs, std::uint32_t ranks_per_node);

/// The costs as 64-bit weights of a graph that sum to at most `most_total`, and to nearly that: all
/// multiplied by one factor and rounded, at least to 1 if the cost is above 0; 0 stays 0. So the
/// ratio of two weights is that of their costs to 10^-6 if both weights are 10^6 or more: with
/// the largest `most_total` that a CommGraph allows, 2^63 - 1, those are all costs above 1.1e-13 of
/// the costs' sum. Below, ratios become coarser, and costs under one unit of the scale weigh 1.
///
/// Throws Error if a cost is negative or not finite, or if `most_total` is less than four times the
/// number of costs.
std::vector<std::uint64_t> scaled_to_weights(std::span<const double> costs,
                                             std::uint64_t most_total);

}  // namespace huddle::commgraph
