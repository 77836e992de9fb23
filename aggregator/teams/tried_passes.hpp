#pragma once

// What a profile says of passes of regions that ran on fewer cores while their run was under way.

#include <cstdint>

#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// Whether both times are known that a region takes: on these cores, and as the program was
/// started.
bool says_how_long(const PackedRegionRecord& record);

/// What a region's time in a rank's run would have been, as a share of what it was, had the passes
/// that the run acted on (PackedRegionRecord::acted_passes, and those of teams that were smaller
/// for most of its passes) been as the program was started: they would have taken longer, or less,
/// by what was measured where the region was tried. 1 where none was acted on.
double share_as_started(const RankRecord& record, std::uint64_t region);

/// Whether the run acted on the record's region, and by how many passes; 0: it only tried.
std::uint64_t passes_acted_on(const PackedRegionRecord& record);

/// A run that acted on teams by a plan, as a trial: packed passes of regions that were packed for
/// most of it are such that it acted on.
Profile with_acted_passes(Profile profile);

}  // namespace huddle
