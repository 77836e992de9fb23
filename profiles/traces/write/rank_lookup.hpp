#pragma once

// Internal to the writer of traces.

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "profiles/traces/trace.hpp"

namespace huddle {

/// The place in a list of ranks that each of them has. Takes memory only if the list is not
/// 0, 1, 2, ...
class RankLookup {
 public:
  explicit RankLookup(std::span<const std::uint32_t> ranks);
  /// An empty optional if it is not in the list.
  [[nodiscard]] std::optional<std::uint32_t> place_of(std::uint32_t rank) const;

 private:
  std::uint32_t in_order_ = 0;                                   // this many from 0 on
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places_;  // by rank
};

/// A communicator as one of its members sees it.
class CommunicatorView {
 public:
  CommunicatorView(const TraceCommunicator& communicator, std::uint32_t own_rank);
  /// The rank within the communicator that messages to and from `rank` name: of an
  /// intercommunicator in the other side. An empty optional if it is not in there.
  [[nodiscard]] std::optional<std::uint32_t> peer(std::uint32_t rank) const;
  /// The root of a collective as OTF2 has it; kNobody if there is none.
  [[nodiscard]] std::optional<std::uint32_t> root(std::uint32_t rank, bool rooted) const;

 private:
  std::uint32_t own_rank_;
  bool self_;
  bool between_;  // two groups
  RankLookup own_side_;
  RankLookup other_side_;
};

}  // namespace huddle
