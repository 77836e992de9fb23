#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/profile/profile.hpp"

namespace huddle {

enum class Encoding { kJson, kCbor };

/// A profile is written in pieces, so that no process holds more than its own part: the head, then
/// one piece for each rank, which that rank encodes itself, then the tail. Pieces of one file share
/// one encoding.
///
///     head(profile) piece(rank 0) separator piece(rank 1) ... tail
///
/// `profile.rank_records` and `profile.shared` are not looked at by the head. Pure functions, safe
/// from any thread.
std::string encode_profile_head(const Profile& profile, Encoding encoding);
std::string encode_rank_record(const RankRecord& record, Encoding encoding);
std::string_view rank_record_separator(Encoding encoding);
std::string encode_profile_tail(const SharedTables& shared, Encoding encoding);

/// The shared tables of one rank on their way to the rank that writes the file, and back. The
/// second throws FormatError.
std::string encode_shared_tables(const SharedTables& shared);
SharedTables decode_shared_tables(std::string_view bytes);

/// CBOR for profiles of many ranks, JSON for those that a person may read.
Encoding encoding_for(std::uint32_t ranks);
/// ".json" or ".cbor".
std::string_view extension_of(Encoding encoding);

}  // namespace huddle
