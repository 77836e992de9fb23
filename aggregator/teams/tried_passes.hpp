#pragma once

// What a profile says of passes of regions that ran on fewer cores while their run was under way.

#include <cstdint>

#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// Whether both times are known that a region takes: on these cores, and as the program was
/// started.
bool says_how_long(const PackedRegionRecord& record);

/// What a region's time in a rank's run would have been, as a share of what it was, had the passes
/// that the run acted on (PackedRegionRecord::acted_passes) been as the program was started: they
/// would have taken longer, or less, by what was measured where the region was tried. 1 where none
/// was acted on.
double share_as_started(const RankRecord& record, std::uint64_t region);

}  // namespace huddle
