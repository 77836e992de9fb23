#pragma once

// Internal to the reader of profiles.

#include <cstdint>

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// Reads a rank's record, of a run of `ranks` ranks. Communicators and phase groups must be in
/// `shared`, unless that is nullptr. Throws FormatError.
RankRecord read_rank_record(const Field& field, std::uint32_t ranks, const SharedTables* shared);

/// True if `shared` has all communicators and phase groups that the record names.
bool knows_all_of(const SharedTables& shared, const RankRecord& record);

}  // namespace huddle
