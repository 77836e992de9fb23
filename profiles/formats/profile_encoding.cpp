#include "profiles/formats/profile_encoding.hpp"

#include "profiles/formats/document.hpp"

namespace huddle {
namespace {

using nlohmann::ordered_json;

constexpr std::uint32_t kMostRanksInJson = 1024;
// An array of indefinite length and its end, RFC 8949 section 3.2.2: pieces can be concatenated.
constexpr char kCborArrayOpen = '\x9f';
constexpr char kCborBreak = '\xff';

ordered_json head_of(const Profile& profile) {
  ordered_json head = new_document(Profile::kFormat, Profile::kVersion);
  head["label"] = utf8(profile.label);
  head["user"] = utf8(profile.user);
  head["ranks"] = profile.ranks;
  head["complete"] = profile.complete;
  if (!profile.complete) head["cut_short_reason"] = utf8(profile.cut_short_reason);
  ordered_json& program = head["program"];
  program["executable"] = utf8(profile.executable);
  program["build_id"] = utf8(profile.build_id);
  program["arguments"] = ordered_json::array();
  for (const std::string& argument : profile.arguments)
    program["arguments"].push_back(utf8(argument));
  head["mpi"]["library"] = utf8(profile.mpi_library);
  ordered_json& job = head["job"];
  if (profile.slurm_job_id != 0) {
    job["slurm_job_id"] = profile.slurm_job_id;
    job["slurm_step_id"] = profile.slurm_step_id;
  }
  job["started_at"] = utf8(profile.started_at);
  const bool measured = profile.counters_absent_reason.empty();
  head["counters"]["measured"] = measured;
  if (!measured) head["counters"]["reason"] = utf8(profile.counters_absent_reason);
  return head;
}

ordered_json columns_of(const std::vector<SentMessages>& sent) {
  ordered_json columns = {{"receiver", ordered_json::array()},
                          {"size_class", ordered_json::array()},
                          {"messages", ordered_json::array()},
                          {"bytes", ordered_json::array()}};
  for (const SentMessages& cell : sent) {
    columns["receiver"].push_back(cell.receiver.value);
    columns["size_class"].push_back(cell.size_class);
    columns["messages"].push_back(cell.messages);
    columns["bytes"].push_back(cell.bytes.value);
  }
  return columns;
}

ordered_json encoded(const CollectiveCalls& calls) {
  return {{"operation", utf8(calls.operation)},
          {"communicator", utf8(calls.communicator)},
          {"participants", calls.participants},
          {"size_class", calls.size_class},
          {"calls", calls.calls},
          {"bytes", calls.bytes.value},
          {"time_s", calls.time.value}};
}

ordered_json encoded(const RankRecord& record) {
  ordered_json entry = {{"rank", record.rank.value},
                        {"node", utf8(record.node)},
                        {"pus", record.pus.list()},
                        {"run_time_s", record.run_time.value},
                        {"mpi_time_s", record.mpi_time.value}};
  if (record.cpu_time) entry["cpu_time_s"] = record.cpu_time->value;
  if (record.peak_resident.value != 0) entry["peak_resident_bytes"] = record.peak_resident.value;
  entry["sent"] = columns_of(record.sent);
  entry["collectives"] = ordered_json::array();
  for (const CollectiveCalls& calls : record.collectives)
    entry["collectives"].push_back(encoded(calls));
  return entry;
}

std::string as_text(const std::vector<std::uint8_t>& bytes) {
  return {bytes.begin(), bytes.end()};
}

// The head as a CBOR map that stays open: the map's own length counts the array that follows.
std::string cbor_head(const ordered_json& head) {
  std::string bytes = as_text(ordered_json::to_cbor(head));
  // A map of fewer than 24 pairs has its size in the low bits of its first byte.
  bytes[0] = static_cast<char>(bytes[0] + 1);
  bytes += as_text(ordered_json::to_cbor(ordered_json("rank_records")));
  bytes += kCborArrayOpen;
  return bytes;
}

}  // namespace

std::string encode_profile_head(const Profile& profile, Encoding encoding) {
  const ordered_json head = head_of(profile);
  if (encoding == Encoding::kCbor) return cbor_head(head);
  std::string text = head.dump(1);
  text.resize(text.size() - 2);  // "\n}" closes the outermost object, which goes on
  return text + ",\n \"rank_records\": [\n";
}

std::string encode_rank_record(const RankRecord& record, Encoding encoding) {
  const ordered_json entry = encoded(record);
  if (encoding == Encoding::kCbor) return as_text(ordered_json::to_cbor(entry));
  return "  " + entry.dump();
}

std::string_view rank_record_separator(Encoding encoding) {
  return encoding == Encoding::kCbor ? std::string_view() : ",\n";
}

std::string_view encode_profile_tail(Encoding encoding) {
  static constexpr std::string_view kBreak(&kCborBreak, 1);
  return encoding == Encoding::kCbor ? kBreak : "\n ]\n}\n";
}

Encoding encoding_for(std::uint32_t ranks) {
  return ranks > kMostRanksInJson ? Encoding::kCbor : Encoding::kJson;
}

std::string_view extension_of(Encoding encoding) {
  return encoding == Encoding::kCbor ? ".cbor" : ".json";
}

}  // namespace huddle
