#include "profiles/traces/read/detail/location_lookup.hpp"

#include <algorithm>
#include <cmath>

namespace huddle::otf2 {

ClockCorrection::ClockCorrection(std::uint64_t begin,
                                 std::vector<LocalDefinitions::ClockOffset> offsets)
    : begin_(begin) {
  std::stable_sort(offsets.begin(), offsets.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  offsets.erase(std::unique(offsets.begin(), offsets.end(),
                            [](const auto& a, const auto& b) { return a.time == b.time; }),
                offsets.end());
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const auto& [time, offset] = offsets[i];
    const auto& [next_time, next_offset] = offsets[i + 1];
    const double rise = static_cast<double>(next_offset) - static_cast<double>(offset);
    pieces_.push_back({time, next_time, offset, rise / static_cast<double>(next_time - time)});
  }
  if (offsets.size() == 1) pieces_.push_back({offsets[0].time, UINT64_MAX, offsets[0].offset, 0});
}

std::int64_t ClockCorrection::offset_at(std::uint64_t time) {
  if (pieces_.empty()) return 0;
  while (at_ + 1 < pieces_.size() && time > pieces_[at_].end) ++at_;
  while (at_ > 0 && time < pieces_[at_].begin) --at_;
  const Piece& piece = pieces_[at_];
  const double since = time >= piece.begin ? static_cast<double>(time - piece.begin)
                                           : -static_cast<double>(piece.begin - time);
  // Beyond that only hostile traces go.
  constexpr double kMost = 4e18;
  const double rise = std::rint(piece.slope * since);
  const double offset = static_cast<double>(piece.offset) + rise;
  if (std::abs(rise) < kMost && std::abs(offset) < kMost)
    return piece.offset + static_cast<std::int64_t>(rise);
  return static_cast<std::int64_t>(std::clamp(offset, -kMost, kMost));
}

std::uint64_t ClockCorrection::by_offsets(std::uint64_t time) {
  __extension__ using Wide = __int128;
  const Wide ticks = Wide{time} + offset_at(time) - Wide{begin_};
  if (ticks < 0) {
    ++before_begin_;
    return 0;
  }
  return ticks > Wide{UINT64_MAX} ? UINT64_MAX : static_cast<std::uint64_t>(ticks);
}

LocationLookup::Translation::Translation(
    const IdTable& all, const std::vector<std::pair<std::uint64_t, std::uint64_t>>& mapping)
    : all_(&all) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> own;
  own.reserve(mapping.size());
  for (const auto& [local, global] : mapping) {
    const std::uint32_t index = all.at(global);
    own.emplace_back(local, index == traces::kNobody ? kMappedToNothing : index);
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
      contexts_(trace.context_ids, local.mappings[LocalDefinitions::kContexts]),
      files_(trace.files, local.mappings[LocalDefinitions::kFiles]) {}

std::uint32_t LocationLookup::peer(std::uint32_t communicator, std::uint32_t member) {
  const traces::TraceCommunicator& comm = definitions_.communicators[communicator];
  if (comm.ranks.empty()) return member == 0 ? rank_ : traces::kNobody;
  const std::vector<std::uint32_t>* ranks = &comm.ranks;
  if (!comm.remote.empty()) {
    const auto [side, is_new] = on_remote_side_.try_emplace(communicator, false);
    if (is_new)
      side->second = std::find(comm.ranks.begin(), comm.ranks.end(), rank_) == comm.ranks.end();
    if (!side->second) ranks = &comm.remote;
  }
  return member < ranks->size() ? (*ranks)[member] : traces::kNobody;
}

std::uint32_t LocationLookup::root(std::uint32_t communicator, std::uint32_t member) {
  constexpr std::uint32_t kSelf = UINT32_MAX - 1;  // OTF2_COLLECTIVE_ROOT_SELF
  if (member == kSelf) return rank_;
  return peer(communicator, member);  // another special number is beyond any communicator's size
}

}  // namespace huddle::otf2
