#include "profiles/formats/profile/detail/rank_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "profiles/formats/profile/detail/openmp_region_members.hpp"
#include "profiles/formats/profile/detail/profile_members.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/size_class.hpp"

namespace huddle {
namespace {

constexpr auto kSizeClass = at_most(kSizeClasses - 1);

/// PUs as a list.
template <class Set>
class PuList {
 public:
  explicit PuList(Set& pus) : pus_(pus) {}
  void read(const Field& field) const {
    if constexpr (!std::is_const_v<Set>) {
      const std::string text = field.text();
      try {
        pus_ = PuSet::parse(text);
      } catch (const Error&) {
        field.fail("a list of PUs such as 0-3,8");
      }
    }
  }
  [[nodiscard]] nlohmann::ordered_json json() const { return pus_.list(); }
  [[nodiscard]] bool is_set() const { return !pus_.empty(); }
  [[nodiscard]] const Set& value() const { return pus_; }

 private:
  Set& pus_;
};

// A row of a matrix.
template <class Table>
void describe_messages(Table& table, std::uint32_t ranks) {
  using Cell = SentMessages;
  table.column(
      "receiver", [](auto& cell) -> auto& { return cell.receiver.value; }, at_most(ranks - 1));
  table.column("size_class", &Cell::size_class, kSizeClass);
  table.column("messages", &Cell::messages);
  table.column("bytes", &Cell::bytes, [](const Field& field, Bytes bytes, const Cell& cell) {
    if (cell.size_class == 0 && bytes.value != 0) field.fail("0, since the size class is 0");
  });
  table.sorted([](const Cell& cell) { return std::pair(cell.receiver, cell.size_class); },
               [](const Cell& cell) {
                 return fmt::format("receiver {} with size class {}", cell.receiver.value,
                                    cell.size_class);
               },
               "each pair only once");
}

template <class Table>
void describe_calls(Table& table) {
  using Kind = CallKind;
  table.column("operation", &Kind::operation);
  table.column("calls", &Kind::calls);
  table.column("timed", &Kind::timed,
               [](const Field& field, std::uint64_t timed, const Kind& kind) {
                 if (timed > kind.calls) field.fail(fmt::format("at most calls, {}", kind.calls));
               });
  table.column("time_s", &Kind::time);
  if (table.any("before_s", [](const Kind& kind) { return kind.before.has_value(); }))
    table.column("before_s", &Kind::before);
  table.sorted([](const Kind& kind) -> const std::string& { return kind.operation; },
               [](const Kind& kind) { return fmt::format("operation \"{}\"", kind.operation); },
               "each operation only once");
}

template <class Table>
void describe_phase_counters(Table& table, std::size_t events) {
  using Phase = PhaseRecord;
  const auto is_counted = [](const Phase& phase) { return phase.counted > 0; };
  if (table.any("counted", is_counted))
    table.column("counted", &Phase::counted,
                 [](const Field& field, std::uint64_t counted, const Phase& phase) {
                   if (counted > phase.count)
                     field.fail(fmt::format("at most count, {}", phase.count));
                 });
  if (table.any("counted_time_s", is_counted)) table.column("counted_time_s", &Phase::counted_time);
  bool has_counts = table.any("counts", is_counted);
  if constexpr (Table::kReads)
    has_counts = has_counts || (events > 0 && std::ranges::any_of(table.rows(), is_counted));
  if (has_counts) table.counts(events, "counted", [](const Phase& phase) { return phase.counted; });
}

template <class Table>
void describe_phases(Table& table, std::size_t events, const SharedTables* shared) {
  using Phase = PhaseRecord;
  table.column("group", &Phase::group, id_in(groups_of(shared), "phase_groups"));
  table.column("count", &Phase::count);
  describe_pass_times(table, static_cast<Phase*>(nullptr));
  table.column("mpi_time_s", &Phase::mpi_time);
  table.column("delimiter_time_s", &Phase::delimiter_time);
  describe_phase_counters(table, events);
  table.sorted([](const Phase& phase) { return phase.group; },
               [](const Phase& phase) { return fmt::format("group {}", phase.group); },
               "each group only once");
}

template <class Members>
void describe_collective(Members& members, In<Members, CollectiveCalls>& calls, std::uint32_t ranks,
                         const SharedTables* shared) {
  members.required("operation", calls.operation);
  members.required("communicator", calls.communicator);
  members.optional("communicator_id", calls.communicator_id,
                   [&](const Field& field, std::uint64_t id) {
                     if (shared != nullptr && id != 0 && !has_id(shared->communicators, id))
                       field.fail("the id of one of the communicators");
                   });
  members.required("participants", calls.participants, at_most(ranks));
  members.required("size_class", calls.size_class, kSizeClass);
  members.required("calls", calls.calls);
  members.required("bytes", calls.bytes);
  members.required("time_s", calls.time);
  members.optional("shortest_s", calls.shortest, [&](const Field& field, Seconds shortest) {
    if (shortest > calls.time) field.fail(fmt::format("at most time_s, {}", calls.time.value));
  });
}

}  // namespace

template <class Members>
void describe(Members& members, In<Members, RankBalancing>& balancing) {
  members.required("state", balancing.state);
  members.optional("imbalance", balancing.imbalance, [](const Field& field, double imbalance) {
    if (imbalance < 1) field.fail("1 or more");
  });
  members.optional("beyond_clocks", balancing.beyond_clocks);
  members.required("points", balancing.points);
  members.required("overruns", balancing.overruns);
  members.required("lost_s", balancing.lost.value);  // clocks may have saved time
  members.required("elapsed_s", balancing.elapsed);
  members.required("periods", balancing.periods);
  members.required("clock_changes", balancing.clock_changes);
  members.required("top_hz", balancing.top, kAboveZero);
  members.required("lowest_hz", balancing.lowest, kAboveZero);
  members.required("mean_hz", balancing.mean, kAboveZero);
  members.check("top_hz", [&](const Field& field) {
    for (const Hertz clock : {balancing.lowest, balancing.mean})
      if (clock > balancing.top * (1 + 1e-9)) field.fail("at least lowest_hz and mean_hz");
  });
}

namespace {

void check_events(const Field& field, const std::vector<std::string>& events) {
  std::vector<std::string_view> sorted(events.begin(), events.end());
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    field.fail(fmt::format("event \"{}\" twice", *twice), "each event only once");
}

void read_event_totals(const Field& totals, RankRecord& record) {
  if (totals.array_size() != 0 && totals.array_size() != record.events.size())
    totals.fail(fmt::format("an array of {}, as long as \"events\"", record.events.size()));
  record.event_totals.reserve(totals.array_size());
  totals.for_each([&](const Field& total) {
    record.event_totals.push_back(ColumnReader<RankRecord>::count_or_nan(total));
  });
}

template <class Members>
void describe_counters(Members& members, In<Members, RankRecord>& record) {
  constexpr std::string_view kOrigins = "\"meter\", \"measured\" or \"attributed\"";
  members.optional("events", record.events, check_events);
  if constexpr (Members::kReads)
    members.check("event_totals", [&](const Field& field) { read_event_totals(field, record); });
  else
    members.optional("event_totals", record.event_totals);
  if (!members.present("node_energy", !record.node_energy.empty())) return;
  members.array("node_energy", record.node_energy, [&](auto& inner, auto& reading) {
    inner.required("meter", reading.meter);
    inner.required("energy_j", reading.energy);
    inner.optional("origin", named(reading.origin, energy_origin_of, kOrigins));
  });
}

template <class Members>
void describe_regions(Members& members, In<Members, RankRecord>& record,
                      const SharedTables* shared) {
  describe_region_records(members, record.openmp_regions, record.events.size(), shared);
  describe_packed_records(members, "packed_regions", "cores", record.packed_regions, shared);
  describe_packed_records(members, "smaller_teams", "threads", record.smaller_teams, shared);
  describe_periods(members, "periods", record.periods, "groups", &PassPeriodRecord::groups,
                   id_in(groups_of(shared), "phase_groups"));
  describe_periods(members, "region_periods", record.region_periods, "regions",
                   &RegionPeriodRecord::regions, id_in(regions_of(shared), "openmp_regions"));
  if (members.present("region_positions", !record.region_positions.as_started.empty()))
    members.within("region_positions", [&](auto& inner) {
      describe_region_positions(inner, record.region_positions, shared);
    });
}

template <class Members>
void describe_record(Members& members, In<Members, RankRecord>& record, std::uint32_t ranks,
                     const SharedTables* shared) {
  const auto messages = [&](auto& table) { describe_messages(table, ranks); };
  members.required("rank", record.rank.value, at_most(ranks - 1));
  members.required("node", record.node);
  members.required("pus", PuList(record.pus));
  members.required("run_time_s", record.run_time);
  members.required("mpi_time_s", record.mpi_time, [&](const Field& field, Seconds mpi_time) {
    if (mpi_time > record.run_time)
      field.fail(fmt::format("at most run_time_s, {}", record.run_time.value));
  });
  members.optional("cpu_time_s", record.cpu_time);
  members.optional("peak_resident_bytes", record.peak_resident);
  describe_table(members, "sent", "receiver", record.sent, messages);
  describe_table_if_any(members, "sent_to_neighbours", "receiver", record.sent_to_neighbours,
                        messages);
  describe_table_if_any(members, "put", "receiver", record.put, messages);
  describe_table_if_any(members, "fetched", "receiver", record.fetched, messages);
  members.array("collectives", record.collectives, [&](auto& inner, auto& calls) {
    describe_collective(inner, calls, ranks, shared);
  });
  describe_table_if_any(members, "calls", "operation", record.calls,
                        [](auto& table) { describe_calls(table); });
  // Tables have columns for events, which stand behind them.
  if constexpr (Members::kReads) describe_counters(members, record);
  describe_table_if_any(members, "phases", "group", record.phases,
                        [&](auto& table) { describe_phases(table, record.events.size(), shared); });
  describe_regions(members, record, shared);
  members.optional("balancing", record.balancing);
  if constexpr (!Members::kReads) describe_counters(members, record);
}

}  // namespace

RankRecord read_rank_record(const Field& field, std::uint32_t ranks, const SharedTables* shared) {
  RankRecord record;
  MemberReader members(field);
  describe_record(members, record, ranks, shared);
  return record;
}

void write_rank_record(DocumentWriter& out, const RankRecord& record) {
  StreamedMembers members(out);
  out.open_object();
  describe_record(members, record, kMostRanks, nullptr);
  out.close_object();
}

bool knows_all_of(const SharedTables& shared, const RankRecord& record) {
  using std::ranges::all_of;
  const auto group = [&](std::uint64_t id) { return has_id(shared.phase_groups, id); };
  const auto region = [&](std::uint64_t id) { return has_id(shared.openmp_regions, id); };
  const auto region_in_group = [&](const auto& row) {
    return region(row.region) && (row.group == 0 || group(row.group));
  };
  return all_of(record.collectives,
                [&](const CollectiveCalls& calls) {
                  return calls.communicator_id == 0 ||
                         has_id(shared.communicators, calls.communicator_id);
                }) &&
         all_of(record.phases, group, &PhaseRecord::group) &&
         all_of(record.periods,
                [&](const PassPeriodRecord& period) { return all_of(period.groups, group); }) &&
         all_of(record.openmp_regions, region_in_group) &&
         all_of(record.packed_regions, region, &PackedRegionRecord::region) &&
         all_of(record.smaller_teams, region, &PackedRegionRecord::region) &&
         all_of(record.region_periods,
                [&](const RegionPeriodRecord& period) { return all_of(period.regions, region); }) &&
         all_of(record.region_positions.as_started, region_in_group);
}

}  // namespace huddle
