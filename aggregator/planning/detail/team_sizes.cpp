#include "aggregator/planning/detail/team_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace huddle {
namespace {

const OpenMpRegionRecord* same_region(const std::optional<Profile>& before, const RankRecord& rank,
                                      std::uint64_t region) {
  if (!before || rank.rank.value >= before->rank_records.size()) return nullptr;
  const auto& regions = before->rank_records[rank.rank.value].openmp_regions;
  const auto found =
      std::find_if(regions.begin(), regions.end(),
                   [&](const OpenMpRegionRecord& each) { return each.region == region; });
  return found == regions.end() ? nullptr : &*found;
}

std::string sizes_text(const OpenMpRegionRecord& region) {
  return region.smallest_team == region.largest_team
             ? std::to_string(region.largest_team)
             : fmt::format("{} to {}", region.smallest_team, region.largest_team);
}

std::string changed(const RankRecord& rank, const OpenMpRegionRecord& region,
                    const std::string& before) {
  return fmt::format("a team of rank {} had {} {}, in place of {}", rank.rank.value,
                     sizes_text(region), region.largest_team == 1 ? "thread" : "threads", before);
}

std::uint32_t largest_team_of(const RankRecord& rank) {
  std::uint32_t largest = 1;
  for (const OpenMpRegionRecord& region : rank.openmp_regions)
    largest = std::max(largest, region.largest_team);
  return largest;
}

bool has_teams(const Profile& run) {
  return std::any_of(run.rank_records.begin(), run.rank_records.end(),
                     [](const RankRecord& rank) { return largest_team_of(rank) > 1; });
}

// Teams that were there and are not seen any more: whatever became of them, they did not keep their
// size, or nobody can know.
std::string lost(const Profile& run, const Profile& before) {
  const std::size_t ranks = std::min(run.rank_records.size(), before.rank_records.size());
  for (std::size_t rank = 0; rank < ranks; ++rank)
    if (const std::uint32_t team = largest_team_of(before.rank_records[rank]);
        team > 1 && largest_team_of(run.rank_records[rank]) == 1)
      return fmt::format("no team of rank {} was seen, in place of {} threads", rank, team);
  return {};
}

}  // namespace

bool show_teams(const Profile& run, const std::optional<Profile>& before) {
  return has_teams(run) || (before && has_teams(*before));
}

std::string why_teams_changed(const Profile& run, const std::optional<Profile>& before,
                              std::uint32_t cores) {
  for (const RankRecord& rank : run.rank_records)
    for (const OpenMpRegionRecord& region : rank.openmp_regions) {
      if (const OpenMpRegionRecord* const was = same_region(before, rank, region.region)) {
        if (was->smallest_team != region.smallest_team || was->largest_team != region.largest_team)
          return changed(rank, region, sizes_text(*was));
        continue;
      }
      const bool usual = region.smallest_team == region.largest_team &&
                         (region.largest_team == 1 || region.largest_team == cores);
      if (!usual) return changed(rank, region, std::to_string(cores));
    }
  return before ? lost(run, *before) : std::string();
}

}  // namespace huddle
