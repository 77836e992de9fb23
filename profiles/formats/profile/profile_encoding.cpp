#include "profiles/formats/profile/profile_encoding.hpp"

#include <algorithm>

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/profile/document_writer.hpp"
#include "profiles/formats/profile/shared_tables.hpp"

namespace huddle {
namespace {

using nlohmann::ordered_json;

constexpr std::uint32_t kMostRanksInJson = 1024;
// An array of indefinite length, RFC 8949 section 3.2.2: pieces can be concatenated. Its end is the
// first byte of the tail.
constexpr char kCborArrayOpen = '\x9f';

ordered_json encoded(const WaitSummary& summary) {
  ordered_json json;
  json["origin"] = utf8(summary.origin);
  json["run_time_s"] = summary.run_time.value;
  json["stretched_run_time_s"] = summary.stretched_run_time.value;
  const auto column = [&](const char* name, auto value_of) {
    ordered_json& values = json["ranks"][name] = ordered_json::array();
    for (const RankWaitSummary& rank : summary.ranks) values.push_back(value_of(rank).value);
  };
  column("run_time_s", [](const RankWaitSummary& rank) { return rank.run_time; });
  column("computation_s", [](const RankWaitSummary& rank) { return rank.computation; });
  column("slack_s", [](const RankWaitSummary& rank) { return rank.slack; });
  ordered_json& patterns = json["patterns"] = ordered_json::array();
  for (const PatternWaitSummary& pattern : summary.patterns) {
    ordered_json& entry = patterns.emplace_back();
    entry["pattern"] = utf8(pattern.pattern);
    ordered_json& waited = entry["waited_s"] = ordered_json::array();
    for (const Seconds time : pattern.waited) waited.push_back(time.value);
  }
  return json;
}

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
  if (profile.scales_weakly) program["scaling"] = "weak";
  if (profile.problem_size) head["problem_size"] = *profile.problem_size;
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
  for (const std::string& note : profile.notes) head["notes"].push_back(utf8(note));
  if (profile.wait_states) head["wait_states"] = encoded(*profile.wait_states);
  return head;
}

void write_messages(DocumentWriter& out, std::string_view name,
                    const std::vector<SentMessages>& messages) {
  const auto number = [&](std::uint64_t value) { out.unsigned_integer(value); };
  out.key(name);
  out.open_object();
  out.key("receiver");
  out.array(messages, [&](const SentMessages& cell) { number(cell.receiver.value); });
  out.key("size_class");
  out.array(messages, [&](const SentMessages& cell) { number(cell.size_class); });
  out.key("messages");
  out.array(messages, [&](const SentMessages& cell) { number(cell.messages); });
  out.key("bytes");
  out.array(messages, [&](const SentMessages& cell) { number(cell.bytes.value); });
  out.close_object();
}

void write_collective(DocumentWriter& out, const CollectiveCalls& calls) {
  out.open_object();
  out.key("operation");
  out.text(calls.operation);
  out.key("communicator");
  out.text(calls.communicator);
  if (calls.communicator_id != 0) {
    out.key("communicator_id");
    out.unsigned_integer(calls.communicator_id);
  }
  out.key("participants");
  out.unsigned_integer(calls.participants);
  out.key("size_class");
  out.unsigned_integer(calls.size_class);
  out.key("calls");
  out.unsigned_integer(calls.calls);
  out.key("bytes");
  out.unsigned_integer(calls.bytes.value);
  out.key("time_s");
  out.real(calls.time.value);
  if (calls.shortest) {
    out.key("shortest_s");
    out.real(calls.shortest->value);
  }
  out.close_object();
}

void write_calls(DocumentWriter& out, const std::vector<CallKind>& kinds) {
  out.key("calls");
  out.open_object();
  out.key("operation");
  out.array(kinds, [&](const CallKind& kind) { out.text(kind.operation); });
  out.key("calls");
  out.array(kinds, [&](const CallKind& kind) { out.unsigned_integer(kind.calls); });
  out.key("timed");
  out.array(kinds, [&](const CallKind& kind) { out.unsigned_integer(kind.timed); });
  out.key("time_s");
  out.array(kinds, [&](const CallKind& kind) { out.real(kind.time.value); });
  out.close_object();
}

// A column for each event; null for phases in which nothing was counted.
void write_phase_counts(DocumentWriter& out, const std::vector<PhaseRecord>& phases,
                        std::size_t events) {
  out.key("counted");
  out.array(phases, [&](const PhaseRecord& phase) { out.unsigned_integer(phase.counted); });
  out.key("counted_time_s");
  out.array(phases, [&](const PhaseRecord& phase) { out.real(phase.counted_time.value); });
  out.key("counts");
  out.open_array(events);
  for (std::size_t event = 0; event < events; ++event)
    out.array(phases, [&](const PhaseRecord& phase) {
      if (phase.counted > 0 && event < phase.counts.size())
        out.real(phase.counts[event]);
      else
        out.null();
    });
  out.close_array();
}

void write_phases(DocumentWriter& out, std::string_view name,
                  const std::vector<PhaseRecord>& phases, std::size_t events) {
  const auto column = [&](std::string_view column_name, auto value_of) {
    out.key(column_name);
    out.array(phases, [&](const PhaseRecord& phase) { out.real(value_of(phase)); });
  };
  out.key(name);
  out.open_object();
  out.key("group");
  out.array(phases, [&](const PhaseRecord& phase) { out.unsigned_integer(phase.group); });
  out.key("count");
  out.array(phases, [&](const PhaseRecord& phase) { out.unsigned_integer(phase.count); });
  column("mean_s", [](const PhaseRecord& phase) { return phase.mean.value; });
  column("variance_s2", [](const PhaseRecord& phase) { return phase.variance_s2; });
  column("shortest_s", [](const PhaseRecord& phase) { return phase.shortest.value; });
  column("longest_s", [](const PhaseRecord& phase) { return phase.longest.value; });
  column("mpi_time_s", [](const PhaseRecord& phase) { return phase.mpi_time.value; });
  column("delimiter_time_s", [](const PhaseRecord& phase) { return phase.delimiter_time.value; });
  if (std::any_of(phases.begin(), phases.end(),
                  [](const auto& phase) { return phase.counted > 0; }))
    write_phase_counts(out, phases, events);
  out.close_object();
}

void write_moves(DocumentWriter& out, const RankRecord& record) {
  const std::size_t events = record.events.size();
  if (!record.moved.empty()) {
    out.key("moved");
    out.array(record.moved, [&](const MovedPhases& moved) {
      out.open_object();
      out.key("pus");
      out.text(moved.pus.list());
      out.key("bursts");
      out.unsigned_integer(moved.bursts);
      out.key("cost_s");
      out.real(moved.cost.value);
      write_phases(out, "phases", moved.phases, events);
      out.close_object();
    });
  }
  if (!record.between_moves.empty())
    write_phases(out, "between_moves", record.between_moves, events);
  if (!record.not_moved.empty()) {
    out.key("not_moved");
    out.text(record.not_moved);
  }
}

void write_readings(DocumentWriter& out, const std::vector<EnergyReading>& readings) {
  out.key("node_energy");
  out.array(readings, [&](const EnergyReading& reading) {
    out.open_object();
    out.key("meter");
    out.text(reading.meter);
    out.key("energy_j");
    out.real(reading.energy.value);
    out.close_object();
  });
}

void write_counters(DocumentWriter& out, const RankRecord& record) {
  if (!record.events.empty()) {
    out.key("events");
    out.array(record.events, [&](const std::string& event) { out.text(event); });
  }
  if (!record.event_totals.empty()) {
    out.key("event_totals");
    out.array(record.event_totals, [&](double total) { out.real(total); });
  }
  if (!record.node_energy.empty()) write_readings(out, record.node_energy);
}

void write_times(DocumentWriter& out, const RankRecord& record) {
  out.key("run_time_s");
  out.real(record.run_time.value);
  out.key("mpi_time_s");
  out.real(record.mpi_time.value);
  if (record.cpu_time) {
    out.key("cpu_time_s");
    out.real(record.cpu_time->value);
  }
  if (record.peak_resident.value != 0) {
    out.key("peak_resident_bytes");
    out.unsigned_integer(record.peak_resident.value);
  }
}

void write_record(DocumentWriter& out, const RankRecord& record) {
  out.open_object();
  out.key("rank");
  out.unsigned_integer(record.rank.value);
  out.key("node");
  out.text(record.node);
  out.key("pus");
  out.text(record.pus.list());
  write_times(out, record);
  write_messages(out, "sent", record.sent);
  if (!record.sent_to_neighbours.empty())
    write_messages(out, "sent_to_neighbours", record.sent_to_neighbours);
  if (!record.put.empty()) write_messages(out, "put", record.put);
  if (!record.fetched.empty()) write_messages(out, "fetched", record.fetched);
  out.key("collectives");
  out.array(record.collectives,
            [&](const CollectiveCalls& calls) { write_collective(out, calls); });
  if (!record.calls.empty()) write_calls(out, record.calls);
  if (!record.phases.empty()) write_phases(out, "phases", record.phases, record.events.size());
  write_moves(out, record);
  write_counters(out, record);
  out.close_object();
}

std::string as_text(const std::vector<std::uint8_t>& bytes) {
  return {bytes.begin(), bytes.end()};
}

// The head as a CBOR map that stays open: the map's own length counts the records and the tables
// that follow.
std::string cbor_head(const ordered_json& head) {
  std::string bytes = as_text(ordered_json::to_cbor(head));
  // A map of fewer than 24 pairs has its size in the low bits of its first byte.
  bytes[0] = static_cast<char>(bytes[0] + 1 + static_cast<int>(kSharedTables));
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
  DocumentWriter out(encoding);
  write_record(out, record);
  return encoding == Encoding::kCbor ? out.take() : "  " + out.take();
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
