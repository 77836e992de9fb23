#include "profiles/formats/profile/profile_encoding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/formats/profile/detail/document_writer.hpp"
#include "profiles/formats/profile/detail/openmp_region_fields.hpp"

namespace huddle {
namespace {

constexpr std::uint32_t kMostRanksInJson = 1024;
// Number of members that the shared tables are; a writer writes all of them.
constexpr std::size_t kSharedTables = 5;
// Levels of the document that are broken into lines: its members, and the elements of its tables
// and of the records.
constexpr std::size_t kBrokenLevels = 2;

void write_wait_summary(DocumentWriter& out, const WaitSummary& summary) {
  out.open_object();
  out.member("origin", summary.origin);
  out.member("run_time_s", summary.run_time.value);
  out.member("stretched_run_time_s", summary.stretched_run_time.value);
  out.key("ranks");
  out.open_object();
  const auto column = [&](std::string_view name, Seconds RankWaitSummary::*time) {
    out.column(name, summary.ranks,
               [&](const RankWaitSummary& rank) { return (rank.*time).value; });
  };
  column("run_time_s", &RankWaitSummary::run_time);
  column("computation_s", &RankWaitSummary::computation);
  column("slack_s", &RankWaitSummary::slack);
  out.close_object();
  out.key("patterns");
  out.array(summary.patterns, [&](const PatternWaitSummary& pattern) {
    out.open_object();
    out.member("pattern", pattern.pattern);
    out.column("waited_s", pattern.waited, [](Seconds time) { return time.value; });
    out.close_object();
  });
  out.close_object();
}

void write_program(DocumentWriter& out, const Profile& profile) {
  const auto itself = [](const std::string& text) -> const std::string& { return text; };
  out.key("program");
  out.open_object();
  out.member("executable", profile.executable);
  out.member("build_id", profile.build_id);
  out.column("arguments", profile.arguments, itself);
  if (!profile.launched.path.empty()) {
    out.key("launched");
    out.open_object();
    out.member("path", profile.launched.path);
    out.member("build_id", profile.launched.build_id);
    out.close_object();
  }
  if (!profile.script.empty()) out.member("script", profile.script);
  if (profile.scales_weakly) out.member("scaling", std::string_view("weak"));
  out.close_object();
  if (profile.problem_size) out.member("problem_size", *profile.problem_size);
  out.key("mpi");
  out.open_object();
  out.member("library", profile.mpi_library);
  out.close_object();
}

void write_job(DocumentWriter& out, const Profile& profile) {
  out.key("job");
  out.open_object();
  if (profile.slurm_job_id != 0) {
    out.member("slurm_job_id", profile.slurm_job_id);
    out.member("slurm_step_id", profile.slurm_step_id);
  }
  out.member("started_at", profile.started_at);
  out.close_object();
}

// All members in front of the records.
void write_head(DocumentWriter& out, const Profile& profile) {
  out.member("format", fmt::format("huddle/{}", Profile::kFormat));
  out.member("version", Profile::kVersion);
  out.member("label", profile.label);
  out.member("user", profile.user);
  out.member("ranks", profile.ranks);
  out.member("complete", profile.complete);
  if (!profile.complete) out.member("cut_short_reason", profile.cut_short_reason);
  write_program(out, profile);
  write_job(out, profile);
  out.key("counters");
  out.open_object();
  out.member("measured", profile.counters_absent_reason.empty());
  if (!profile.counters_absent_reason.empty()) out.member("reason", profile.counters_absent_reason);
  out.close_object();
  if (!profile.notes.empty()) {
    out.key("notes");
    out.array(profile.notes, [&](const std::string& note) { out.text(note); });
  }
  if (profile.wait_states) {
    out.key("wait_states");
    write_wait_summary(out, *profile.wait_states);
  }
}

void write_messages(DocumentWriter& out, std::string_view name,
                    const std::vector<SentMessages>& messages) {
  using Cell = const SentMessages&;
  out.key(name);
  out.open_object();
  out.column("receiver", messages, [](Cell cell) { return cell.receiver.value; });
  out.column("size_class", messages, [](Cell cell) { return cell.size_class; });
  out.column("messages", messages, [](Cell cell) { return cell.messages; });
  out.column("bytes", messages, [](Cell cell) { return cell.bytes.value; });
  out.close_object();
}

void write_collective(DocumentWriter& out, const CollectiveCalls& calls) {
  out.open_object();
  out.member("operation", calls.operation);
  out.member("communicator", calls.communicator);
  if (calls.communicator_id != 0) out.member("communicator_id", calls.communicator_id);
  out.member("participants", calls.participants);
  out.member("size_class", calls.size_class);
  out.member("calls", calls.calls);
  out.member("bytes", calls.bytes.value);
  out.member("time_s", calls.time.value);
  if (calls.shortest) out.member("shortest_s", calls.shortest->value);
  out.close_object();
}

// Null where it is not known.
void write_times_before(DocumentWriter& out, const std::vector<CallKind>& kinds) {
  out.key("before_s");
  out.array(kinds, [&](const CallKind& kind) {
    if (kind.before)
      out.value(kind.before->value);
    else
      out.null();
  });
}

void write_calls(DocumentWriter& out, const std::vector<CallKind>& kinds) {
  using Kind = const CallKind&;
  out.key("calls");
  out.open_object();
  out.column("operation", kinds, [](Kind kind) -> const std::string& { return kind.operation; });
  out.column("calls", kinds, [](Kind kind) { return kind.calls; });
  out.column("timed", kinds, [](Kind kind) { return kind.timed; });
  out.column("time_s", kinds, [](Kind kind) { return kind.time.value; });
  if (std::any_of(kinds.begin(), kinds.end(), [](Kind kind) { return kind.before.has_value(); }))
    write_times_before(out, kinds);
  out.close_object();
}

// A column for each event; null for phases in which nothing was counted.
void write_phase_counts(DocumentWriter& out, const std::vector<PhaseRecord>& phases,
                        std::size_t events) {
  out.column("counted", phases, [](const PhaseRecord& phase) { return phase.counted; });
  out.column("counted_time_s", phases,
             [](const PhaseRecord& phase) { return phase.counted_time.value; });
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
  using Phase = const PhaseRecord&;
  out.key(name);
  out.open_object();
  out.column("group", phases, [](Phase phase) { return phase.group; });
  out.column("count", phases, [](Phase phase) { return phase.count; });
  out.column("mean_s", phases, [](Phase phase) { return phase.mean.value; });
  out.column("variance_s2", phases, [](Phase phase) { return phase.variance_s2; });
  out.column("shortest_s", phases, [](Phase phase) { return phase.shortest.value; });
  out.column("longest_s", phases, [](Phase phase) { return phase.longest.value; });
  out.column("mpi_time_s", phases, [](Phase phase) { return phase.mpi_time.value; });
  out.column("delimiter_time_s", phases, [](Phase phase) { return phase.delimiter_time.value; });
  if (std::any_of(phases.begin(), phases.end(), [](Phase phase) { return phase.counted > 0; }))
    write_phase_counts(out, phases, events);
  out.close_object();
}

void write_balancing(DocumentWriter& out, const RankBalancing& balancing) {
  out.key("balancing");
  out.open_object();
  out.member("state", balancing.state);
  if (balancing.imbalance) out.member("imbalance", *balancing.imbalance);
  if (balancing.beyond_clocks) out.member("beyond_clocks", true);
  out.member("points", balancing.points);
  out.member("overruns", balancing.overruns);
  out.member("lost_s", balancing.lost.value);
  out.member("elapsed_s", balancing.elapsed.value);
  out.member("periods", balancing.periods);
  out.member("clock_changes", balancing.clock_changes);
  out.member("top_hz", balancing.top.value);
  out.member("lowest_hz", balancing.lowest.value);
  out.member("mean_hz", balancing.mean.value);
  out.close_object();
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
  if (record.node_energy.empty()) return;
  out.key("node_energy");
  out.array(record.node_energy, [&](const EnergyReading& reading) {
    out.open_object();
    out.member("meter", reading.meter);
    out.member("energy_j", reading.energy.value);
    if (reading.origin != EnergyOrigin::kMeter)
      out.member("origin", std::string(name_of(reading.origin)));
    out.close_object();
  });
}

void write_periods(DocumentWriter& out, const std::vector<PassPeriodRecord>& periods) {
  out.key("periods");
  out.array(periods, [&](const PassPeriodRecord& period) {
    out.open_object();
    out.member("first", period.first);
    out.member("passes", period.passes);
    out.key("groups");
    out.array(period.groups, [&](std::uint64_t group) { out.value(group); });
    out.close_object();
  });
}

void write_record(DocumentWriter& out, const RankRecord& record) {
  out.open_object();
  out.member("rank", record.rank.value);
  out.member("node", record.node);
  out.member("pus", record.pus.list());
  out.member("run_time_s", record.run_time.value);
  out.member("mpi_time_s", record.mpi_time.value);
  if (record.cpu_time) out.member("cpu_time_s", record.cpu_time->value);
  if (record.peak_resident.value != 0)
    out.member("peak_resident_bytes", record.peak_resident.value);
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
  write_region_records(out, record.openmp_regions, record.events.size());
  write_packed_records(out, "packed_regions", "cores", record.packed_regions);
  write_packed_records(out, "smaller_teams", "threads", record.smaller_teams);
  if (!record.periods.empty()) write_periods(out, record.periods);
  write_region_periods(out, record.region_periods);
  write_region_positions(out, record.region_positions);
  if (record.balancing) write_balancing(out, *record.balancing);
  write_counters(out, record);
  out.close_object();
}

void write_tables(DocumentWriter& out, const SharedTables& shared) {
  out.key("communicators");
  out.array(shared.communicators, [&](const Communicator& communicator) {
    out.open_object();
    out.member("id", communicator.id);
    out.member("members", communicator.members.list());
    if (!communicator.others.empty()) out.member("others", communicator.others.list());
    out.close_object();
  });
  out.key("phase_groups");
  out.array(shared.phase_groups, [&](const PhaseGroup& group) {
    out.open_object();
    out.member("id", group.id);
    out.member("begin", group.begin);
    out.member("end", group.end);
    out.close_object();
  });
  out.key("modules");
  out.array(shared.modules, [&](const ProgramModule& module) {
    out.open_object();
    out.member("name", module.name);
    out.member("path", module.path);
    out.member("build_id", module.build_id);
    out.member("first_address", module.first_address);
    out.close_object();
  });
  write_regions(out, shared.openmp_regions);
  out.key("absent_events");
  out.array(shared.absent_events, [&](const AbsentEvent& absent) {
    out.open_object();
    out.member("event", absent.event);
    out.member("reason", absent.reason);
    out.member("ranks", absent.ranks);
    out.close_object();
  });
}

}  // namespace

std::string encode_profile_head(const Profile& profile, Encoding encoding) {
  DocumentWriter out(encoding, DocumentWriter::kAllLevels);
  out.open_object(kSharedTables);
  write_head(out, profile);
  out.key("rank_records");
  out.open_endless_array();
  return encoding == Encoding::kCbor ? out.take() : out.take() + "\n";
}

std::string encode_rank_record(const RankRecord& record, Encoding encoding) {
  DocumentWriter out(encoding);
  write_record(out, record);
  return encoding == Encoding::kCbor ? out.take() : "  " + out.take();
}

std::string encode_profile_tail(const SharedTables& shared, Encoding encoding) {
  DocumentWriter out(encoding, kBrokenLevels, kBrokenLevels);
  out.close_endless_array();
  write_tables(out, shared);
  out.close_object();
  return encoding == Encoding::kCbor ? out.take() : out.take() + "\n";
}

std::string encode_shared_tables(const SharedTables& shared) {
  DocumentWriter out(Encoding::kCbor);
  out.open_object();
  write_tables(out, shared);
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
