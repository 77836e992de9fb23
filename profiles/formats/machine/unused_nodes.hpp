#pragma once

// The nodes that a job leaves unused: what becomes of them, as the machine document says.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/machine/origin.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// The fate of a node that a job does not use.
enum class NodeFate : std::uint8_t {
  kUsed,    ///< it stays on, and other jobs get it
  kSleeps,  ///< it is powered down after a time
  kIdles,   ///< it stays on with nothing to do
};

/// Names of the fates, indexed by NodeFate.
inline constexpr std::array<std::string_view, 3> kNodeFateNames = {"used", "sleeps", "idles"};
inline constexpr std::string_view kExpectedNodeFate = "\"used\", \"sleeps\" or \"idles\"";

/// The fate of that name, or nothing.
std::optional<NodeFate> node_fate_of(std::string_view name);

/// The fate of some nodes. As nothing is known: other jobs get them.
struct UnusedNode {
  NodeFate fate = NodeFate::kUsed;
  /// The time for which it stays on before (Slurm's SuspendTime); 0 unless it sleeps.
  Seconds sleeps_after;

  friend bool operator==(const UnusedNode&, const UnusedNode&) = default;
};

/// Nodes with one fate, all in the same partitions.
struct UnusedGroup : UnusedNode {
  /// 1 or more.
  std::uint32_t nodes = 1;
  /// May be empty.
  std::vector<std::string> partitions;

  friend bool operator==(const UnusedGroup&, const UnusedGroup&) = default;
};

/// The fates of a machine's nodes while no job of ours uses them. The fate that is its own is that
/// of the nodes that are in none of the groups.
struct UnusedNodes : UnusedNode {
  std::vector<UnusedGroup> groups;
  Origin origin = Origin::kAssumed;
  std::string source = {};  ///< who says so, for people; may be empty

  friend bool operator==(const UnusedNodes&, const UnusedNodes&) = default;
};

/// A fate, and the share of nodes that have it, above 0 to 1.
struct FateShare {
  UnusedNode node;
  double share = 1;
};

/// The fates of nodes in `partition`, or of all where it is empty or in no group. The shares add up
/// to 1. `nodes`: how many the machine has; 0: unknown, then the groups have all of them.
std::vector<FateShare> fates_of(const std::optional<UnusedNodes>& unused, std::uint32_t nodes,
                                std::string_view partition = {});

/// In words, for people: "other jobs use them", "they sleep after 300 s", or by shares of nodes.
std::string text_of(const std::vector<FateShare>& fates);

/// True if other jobs get all of the nodes.
bool are_used_by_others(const std::vector<FateShare>& fates);

}  // namespace huddle
