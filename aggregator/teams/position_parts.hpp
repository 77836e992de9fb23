#pragma once

// Regions of a profile by their position in a period of their rank's regions.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/hybrid/team_program.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::teams {

/// " position 3 of 14", " elsewhere" for what is at no known position of the period, or nothing.
std::string text_of(const hybrid::RegionPosition& where);

/// A part of a region's passes in one group of phases, or all of them.
struct RegionPart {
  OpenMpRegionRecord record;
  double passes = 0;
  hybrid::RegionPosition where;
};

/// A region of a rank in one group by positions, as far as they were seen: together these take as
/// long as `row` says. `row` alone where nothing is known of its positions in that group, or they
/// don't fit it.
std::vector<RegionPart> parts_by_position(const RankRecord& rank, const OpenMpRegionRecord& row);

/// Key of a sample: a region and a context, which is 0 for all of its passes together and
/// kElsewhere for those at no known position.
using SampleKey = std::pair<std::uint64_t, std::uint64_t>;
inline constexpr std::uint64_t kElsewhere = UINT64_MAX;
SampleKey sample_key(std::uint64_t region, const hybrid::RegionPosition& where);

/// True if enough was tried by position, so that nothing is lost by taking regions apart.
bool are_positions_tried(const RankRecord& rank);
/// True if a region takes longer at one position than at another; if not, what was tried of it
/// holds at all of them.
bool is_apart(const RankRecord& rank, std::uint64_t region);

/// The trials of a rank on fewer cores, all passes of a region together. Passes of a region that
/// takes longer at one position than at another are compared with usual ones at the same positions;
/// where these have less than nine tenths of the region's time, nothing is known of all passes.
std::vector<PackedRegionRecord> packed_at_all_positions(const RankRecord& rank);

/// The trials of a rank on fewer cores, by position.
std::vector<std::pair<SampleKey, PackedRegionRecord>> packed_at_positions(const RankRecord& rank);

}  // namespace huddle::teams
