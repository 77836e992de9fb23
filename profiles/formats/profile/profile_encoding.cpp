#include "profiles/formats/profile/profile_encoding.hpp"

#include <fmt/format.h>

#include "profiles/formats/profile/detail/document_writer.hpp"
#include "profiles/formats/profile/detail/profile_head.hpp"
#include "profiles/formats/profile/detail/rank_record.hpp"

namespace huddle {
namespace {

constexpr std::uint32_t kMostRanksInJson = 1024;
// Number of members that the shared tables are; a writer writes all of them.
constexpr std::size_t kSharedTables = 5;
// Levels of the document that are broken into lines: its members, and the elements of its tables
// and of the records.
constexpr std::size_t kBrokenLevels = 2;

}  // namespace

std::string encode_profile_head(const Profile& profile, Encoding encoding) {
  DocumentWriter out(encoding, DocumentWriter::kAllLevels);
  out.open_object(kSharedTables);
  out.member("format", fmt::format("huddle/{}", Profile::kFormat));
  out.member("version", Profile::kVersion);
  StreamedMembers members(out);
  describe_head(members, profile);
  describe_wait_states(members, profile);
  out.key("rank_records");
  out.open_endless_array();
  return encoding == Encoding::kCbor ? out.take() : out.take() + "\n";
}

std::string encode_rank_record(const RankRecord& record, Encoding encoding) {
  DocumentWriter out(encoding);
  write_rank_record(out, record);
  return encoding == Encoding::kCbor ? out.take() : "  " + out.take();
}

std::string encode_profile_tail(const SharedTables& shared, Encoding encoding) {
  DocumentWriter out(encoding, kBrokenLevels, kBrokenLevels);
  out.close_endless_array();
  write_shared_tables(out, shared);
  out.close_object();
  return encoding == Encoding::kCbor ? out.take() : out.take() + "\n";
}

std::string encode_shared_tables(const SharedTables& shared) {
  DocumentWriter out(Encoding::kCbor);
  out.open_object();
  write_shared_tables(out, shared);
  out.close_object();
  return out.take();
}

std::string_view rank_record_separator(Encoding encoding) {
  return encoding == Encoding::kCbor ? std::string_view() : ",\n";
}

Encoding encoding_for(std::uint32_t ranks) {
  return ranks > kMostRanksInJson ? Encoding::kCbor : Encoding::kJson;
}

std::string_view extension_of(Encoding encoding) {
  return encoding == Encoding::kCbor ? ".cbor" : ".json";
}

}  // namespace huddle
