#pragma once

// Internal to the reader and writer of profiles.

#include <cstdint>

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/profile/detail/document_writer.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// Reads a rank's record, of a run of `ranks` ranks. Communicators and phase groups must be in
/// `shared`, unless that is nullptr. Throws FormatError.
RankRecord read_rank_record(const Field& field, std::uint32_t ranks, const SharedTables* shared);
void write_rank_record(DocumentWriter& out, const RankRecord& record);

/// True if `shared` has all communicators and phase groups that the record names.
bool knows_all_of(const SharedTables& shared, const RankRecord& record);

/// The shared tables among the members of `root`, each put in order; those that are missing are
/// empty. `ranks`: of the run. Throws FormatError.
SharedTables read_shared_tables(const Field& root, std::uint32_t ranks);
void write_shared_tables(DocumentWriter& out, const SharedTables& shared);

}  // namespace huddle
