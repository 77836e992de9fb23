#include "profiles/traces/write/detail/part_tables.hpp"

#include <fmt/format.h>
#include <otf2/OTF2_Events.h>

#include <algorithm>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle::traces {

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

namespace {

std::uint32_t reference(const std::vector<std::uint32_t>& numbers, std::size_t defined,
                        std::uint32_t index, const char* what) {
  if (index >= defined || (!numbers.empty() && index >= numbers.size()))
    throw Error(
        fmt::format("can't write an event of {} {}: only {} are defined", what, index, defined));
  return numbers.empty() ? index : numbers[index];
}

}  // namespace

PartTables::PartTables(TraceDefinitions own, TraceNumbers numbers)
    : own_(std::move(own)), numbers_(std::move(numbers)) {
  operations_.resize(own_.regions.size());
  accesses_.reserve(own_.regions.size());
  for (std::size_t i = 0; i < own_.regions.size(); ++i) {
    const std::string& name = own_.regions[i].name;
    for (std::size_t kind = 0; kind < kCollectives; ++kind)
      operations_[i].at(kind) = operation_of_mpi(name, static_cast<Collective>(kind));
    accesses_.push_back(access_of_mpi(name));
  }
}

std::uint32_t PartTables::region(std::uint32_t index) const {
  return reference(numbers_.regions, own_.regions.size(), index, "region");
}

std::uint32_t PartTables::communicator(std::uint32_t index) const {
  return reference(numbers_.communicators, own_.communicators.size(), index, "communicator");
}

std::uint32_t PartTables::window(std::uint32_t index) const {
  return reference(numbers_.windows, own_.windows.size(), index, "window");
}

std::uint32_t PartTables::group(std::uint32_t index) const {
  return kFirstGroup + reference(numbers_.groups, own_.groups.size(), index, "group");
}

std::uint32_t PartTables::team(std::uint32_t index) const {
  return numbers_.all_communicators + reference(numbers_.teams, own_.teams.size(), index, "team");
}

std::uint8_t PartTables::operation(std::uint32_t region, Collective waiting) const {
  if (region == kNobody) return operation_of_mpi({}, waiting);
  return operations_[region].at(static_cast<std::size_t>(waiting));
}

OneSidedAccess PartTables::access(std::uint32_t region) const {
  return region == kNobody ? OneSidedAccess::kPut : accesses_[region];
}

const CommunicatorView& PartTables::view(std::uint32_t communicator, std::uint32_t rank) {
  const std::uint64_t key = std::uint64_t{communicator} << 32U | rank;
  const auto known = views_.find(key);
  if (known != views_.end()) return known->second;
  return views_.emplace(key, CommunicatorView(own_.communicators[communicator], rank))
      .first->second;
}

}  // namespace huddle::traces
