#include "profiles/traces/write/rank_lookup.hpp"

#include <otf2/OTF2_Events.h>

#include <algorithm>

namespace huddle {

RankLookup::RankLookup(std::span<const std::uint32_t> ranks) {
  while (in_order_ < ranks.size() && ranks[in_order_] == in_order_) ++in_order_;
  places_.reserve(ranks.size() - in_order_);
  for (std::uint32_t place = in_order_; place < ranks.size(); ++place)
    places_.emplace_back(ranks[place], place);
  std::sort(places_.begin(), places_.end());
}

std::optional<std::uint32_t> RankLookup::place_of(std::uint32_t rank) const {
  if (rank < in_order_) return rank;
  const auto found =
      std::lower_bound(places_.begin(), places_.end(), std::pair{rank, std::uint32_t{0}});
  if (found == places_.end() || found->first != rank) return {};
  return found->second;
}

namespace {

bool on_second_side(const TraceCommunicator& communicator, std::uint32_t rank) {
  return std::find(communicator.remote.begin(), communicator.remote.end(), rank) !=
         communicator.remote.end();
}

}  // namespace

CommunicatorView::CommunicatorView(const TraceCommunicator& communicator, std::uint32_t own_rank)
    : own_rank_(own_rank),
      self_(communicator.ranks.empty()),
      between_(!communicator.remote.empty()),
      own_side_(on_second_side(communicator, own_rank) ? communicator.remote : communicator.ranks),
      other_side_(on_second_side(communicator, own_rank) ? communicator.ranks
                                                         : communicator.remote) {}

std::optional<std::uint32_t> CommunicatorView::peer(std::uint32_t rank) const {
  if (self_) return rank == own_rank_ ? std::optional<std::uint32_t>(0) : std::nullopt;
  return (between_ ? other_side_ : own_side_).place_of(rank);
}

std::optional<std::uint32_t> CommunicatorView::root(std::uint32_t rank, bool rooted) const {
  if (!between_) {
    if (rank == kNobody) return OTF2_COLLECTIVE_ROOT_NONE;
    return peer(rank);
  }
  if (!rooted) return OTF2_COLLECTIVE_ROOT_NONE;
  if (rank == own_rank_) return OTF2_COLLECTIVE_ROOT_SELF;
  // Who of the own side is root does not matter to the rest of it, and they don't know.
  if (rank == kNobody || own_side_.place_of(rank)) return OTF2_COLLECTIVE_ROOT_THIS_GROUP;
  return other_side_.place_of(rank);
}

}  // namespace huddle
