#include "profiles/traces/read/location_lookup.hpp"

#include <algorithm>

namespace huddle::otf2 {

LocationLookup::Translation::Translation(
    const IdTable& all, const std::vector<std::pair<std::uint64_t, std::uint64_t>>& mapping)
    : all_(&all) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> own;
  own.reserve(mapping.size());
  for (const auto& [local, global] : mapping) {
    const std::uint32_t index = all.at(global);
    own.emplace_back(local, index == kNobody ? kMappedToNothing : index);
  }
  own_ = IdTable(std::move(own));
}

LocationLookup::LocationLookup(const ResolvedTrace& trace, const LocalDefinitions& local,
                               std::uint32_t rank)
    : definitions_(trace.definitions),
      rank_(rank),
      regions_(trace.regions, local.mappings[LocalDefinitions::kRegions]),
      communicators_(trace.communicators, local.mappings[LocalDefinitions::kComms]),
      teams_(trace.teams, local.mappings[LocalDefinitions::kComms]),
      windows_(trace.windows, local.mappings[LocalDefinitions::kWindows]),
      groups_(trace.groups, local.mappings[LocalDefinitions::kGroups]),
      contexts_(trace.context_ids, local.mappings[LocalDefinitions::kContexts]) {}

std::uint32_t LocationLookup::peer(std::uint32_t communicator, std::uint32_t member) {
  const TraceCommunicator& comm = definitions_.communicators[communicator];
  if (comm.ranks.empty()) return member == 0 ? rank_ : kNobody;
  const std::vector<std::uint32_t>* ranks = &comm.ranks;
  if (!comm.remote.empty()) {
    const auto [side, is_new] = on_remote_side_.try_emplace(communicator, false);
    if (is_new)
      side->second = std::find(comm.ranks.begin(), comm.ranks.end(), rank_) == comm.ranks.end();
    if (!side->second) ranks = &comm.remote;
  }
  return member < ranks->size() ? (*ranks)[member] : kNobody;
}

std::uint32_t LocationLookup::root(std::uint32_t communicator, std::uint32_t member) {
  constexpr std::uint32_t kSelf = UINT32_MAX - 1;  // OTF2_COLLECTIVE_ROOT_SELF
  if (member == kSelf) return rank_;
  return peer(communicator, member);  // another special number is beyond any communicator's size
}

}  // namespace huddle::otf2
