#pragma once

// Internal to the reader of profiles.

#include <cstdint>

#include "profiles/formats/document/document_reader.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// Reads the rank's record that is next in `in`, of a run of `ranks` ranks. Communicators and phase
/// groups must be in `shared`, unless that is nullptr. Throws FormatError.
RankRecord read_rank_record(DocumentReader& in, std::uint32_t ranks, const SharedTables* shared);

}  // namespace huddle
