#pragma once

// The part of a plan that one node needs: a node of a large job must not pay for all the others.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace huddle {

/// Where the ranks go that share one node.
struct NodePlaces {
  /// The ranks of the whole plan.
  std::uint32_t ranks = 0;
  /// Each rank of the node, ascending, and its PUs as a list ("0-3,8", PuSet::parse()). Empty where
  /// the plan has no such node.
  std::vector<std::pair<std::uint32_t, std::string>> pus;
};

/// Reads them from a plan document: the node's that has `rank`. Of the rest it looks only at what
/// tells which ranks those are. Throws FormatError naming `file`.
NodePlaces parse_node_places(std::string_view plan, std::string_view file, std::uint32_t rank);

/// The same as text, for another process of one version: the number of ranks, and a line "RANK PUS"
/// for each of the node's.
std::string text_of(const NodePlaces& places);
/// Reads that text. Throws Error if it is none.
NodePlaces node_places_of(std::string_view text);

}  // namespace huddle
