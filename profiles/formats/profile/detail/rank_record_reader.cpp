#include "profiles/formats/profile/detail/rank_record_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "profiles/formats/profile/detail/openmp_region_fields.hpp"
#include "profiles/formats/profile/detail/table_columns.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/size_class.hpp"

namespace huddle {
namespace {

// The share of the longest pass by which a mean that was summed up or printed with few digits may
// lie outside of what it is the mean of.
constexpr double kRounding = 1e-6;

template <class Entry>
bool knows(const std::vector<Entry>& table, std::uint64_t id) {
  const auto entry = std::lower_bound(
      table.begin(), table.end(), id,
      [](const Entry& candidate, std::uint64_t key) { return candidate.id < key; });
  return entry != table.end() && entry->id == id;
}

std::uint8_t read_size_class(const Field& field) {
  return static_cast<std::uint8_t>(field.unsigned_integer(kSizeClasses - 1));
}

PuSet read_pus(const Field& field) {
  const std::string text = field.text();
  try {
    return PuSet::parse(text);
  } catch (const Error&) {
    field.fail("a list of PUs such as 0-3,8");
  }
}

// A row of a matrix.
std::vector<SentMessages> read_messages(const Field& field, std::uint32_t ranks) {
  TableColumns<SentMessages> columns(field, "receiver");
  columns.read("receiver", [&](SentMessages& cell, const Field& value) {
    cell.receiver.value = value.unsigned_32(ranks - 1);
  });
  columns.read("size_class", [](SentMessages& cell, const Field& value) {
    cell.size_class = read_size_class(value);
  });
  columns.read("messages", [](SentMessages& cell, const Field& value) {
    cell.messages = value.unsigned_integer();
  });
  columns.read("bytes", [](SentMessages& cell, const Field& value) {
    cell.bytes.value = value.unsigned_integer();
    if (cell.size_class == 0 && cell.bytes.value != 0) value.fail("0, since the size class is 0");
  });
  return columns.take_sorted(
      [](const SentMessages& cell) { return std::pair(cell.receiver, cell.size_class); },
      [](const SentMessages& cell) {
        return fmt::format("receiver {} with size class {}", cell.receiver.value, cell.size_class);
      },
      "each pair only once");
}

CollectiveCalls read_collective(const Field& field, std::uint32_t ranks,
                                const SharedTables* shared) {
  CollectiveCalls calls;
  calls.operation = field.at("operation").text();
  calls.communicator = field.at("communicator").text();
  if (field.has("communicator_id")) {
    const Field id = field.at("communicator_id");
    calls.communicator_id = id.unsigned_integer();
    if (shared != nullptr && calls.communicator_id != 0 &&
        !knows(shared->communicators, calls.communicator_id))
      id.fail("the id of one of the communicators");
  }
  calls.participants = field.at("participants").unsigned_32(ranks);
  calls.size_class = read_size_class(field.at("size_class"));
  calls.calls = field.at("calls").unsigned_integer();
  calls.bytes.value = field.at("bytes").unsigned_integer();
  calls.time.value = field.at("time_s").non_negative();
  if (field.has("shortest_s")) {
    const Field shortest = field.at("shortest_s");
    calls.shortest = Seconds{shortest.non_negative()};
    if (*calls.shortest > calls.time)
      shortest.fail(fmt::format("at most time_s, {}", calls.time.value));
  }
  return calls;
}

std::vector<CallKind> read_calls(const Field& field) {
  TableColumns<CallKind> columns(field, "operation");
  columns.read("operation",
               [](CallKind& kind, const Field& value) { kind.operation = value.text(); });
  columns.read("calls",
               [](CallKind& kind, const Field& value) { kind.calls = value.unsigned_integer(); });
  columns.read("timed", [](CallKind& kind, const Field& value) {
    kind.timed = value.unsigned_integer();
    if (kind.timed > kind.calls) value.fail(fmt::format("at most calls, {}", kind.calls));
  });
  columns.read("time_s",
               [](CallKind& kind, const Field& value) { kind.time.value = value.non_negative(); });
  if (field.has("before_s"))
    columns.read("before_s", [](CallKind& kind, const Field& value) {
      if (!value.is_null()) kind.before = Seconds{value.non_negative()};
    });
  return columns.take_sorted(
      [](const CallKind& kind) -> const std::string& { return kind.operation; },
      [](const CallKind& kind) { return fmt::format("operation \"{}\"", kind.operation); },
      "each operation only once");
}

// The times of one pass, which say something about each other.
void read_pass_times(TableColumns<PhaseRecord>& columns) {
  columns.read("longest_s", [](PhaseRecord& phase, const Field& value) {
    phase.longest.value = value.non_negative();
  });
  columns.read("shortest_s", [](PhaseRecord& phase, const Field& value) {
    phase.shortest.value = value.non_negative();
    if (phase.shortest > phase.longest)
      value.fail(fmt::format("at most longest_s, {}", phase.longest.value));
  });
  columns.read("mean_s", [](PhaseRecord& phase, const Field& value) {
    phase.mean.value = value.non_negative();
    const Seconds slack = phase.longest * kRounding;
    if (phase.mean < phase.shortest - slack || phase.mean > phase.longest + slack)
      value.fail(fmt::format("a number from shortest_s to longest_s, {} to {}",
                             phase.shortest.value, phase.longest.value));
  });
  columns.read("variance_s2", [](PhaseRecord& phase, const Field& value) {
    phase.variance_s2 = value.non_negative();
  });
}

void read_counters(const Field& field, std::size_t events, TableColumns<PhaseRecord>& columns) {
  if (field.has("counted"))
    columns.read("counted", [](PhaseRecord& phase, const Field& value) {
      phase.counted = value.unsigned_integer();
      if (phase.counted > phase.count) value.fail(fmt::format("at most count, {}", phase.count));
    });
  if (field.has("counted_time_s"))
    columns.read("counted_time_s", [](PhaseRecord& phase, const Field& value) {
      phase.counted_time.value = value.non_negative();
    });
  std::vector<PhaseRecord>& phases = columns.rows();
  const bool counted = std::any_of(phases.begin(), phases.end(),
                                   [](const PhaseRecord& phase) { return phase.counted > 0; });
  if (field.has("counts") || (counted && events > 0))
    read_counts(field.at("counts"), events, "group", "counted", phases,
                [](const PhaseRecord& phase) { return phase.counted; });
}

std::vector<PhaseRecord> read_phases(const Field& field, std::size_t events,
                                     const SharedTables* shared) {
  TableColumns<PhaseRecord> columns(field, "group");
  columns.read("group", [&](PhaseRecord& phase, const Field& value) {
    phase.group = value.unsigned_integer();
    if (shared != nullptr && !knows(shared->phase_groups, phase.group))
      value.fail("the id of one of the phase_groups");
  });
  columns.read("count", [](PhaseRecord& phase, const Field& value) {
    phase.count = value.unsigned_integer();
  });
  read_pass_times(columns);
  columns.read("mpi_time_s", [](PhaseRecord& phase, const Field& value) {
    phase.mpi_time.value = value.non_negative();
  });
  columns.read("delimiter_time_s", [](PhaseRecord& phase, const Field& value) {
    phase.delimiter_time.value = value.non_negative();
  });
  read_counters(field, events, columns);
  return columns.take_sorted(
      [](const PhaseRecord& phase) { return phase.group; },
      [](const PhaseRecord& phase) { return fmt::format("group {}", phase.group); },
      "each group only once");
}

void read_events(const Field& field, RankRecord& record) {
  if (field.has("events")) {
    const Field events = field.at("events");
    record.events.reserve(events.array_size());
    events.for_each([&](const Field& event) { record.events.push_back(event.text()); });
    std::vector<std::string_view> sorted(record.events.begin(), record.events.end());
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
      events.fail(fmt::format("event \"{}\" twice", *twice), "each event only once");
  }
  if (field.has("event_totals")) {
    const Field totals = field.at("event_totals");
    if (totals.array_size() != 0 && totals.array_size() != record.events.size())
      totals.fail(fmt::format("an array of {}, as long as \"events\"", record.events.size()));
    record.event_totals.reserve(totals.array_size());
    totals.for_each(
        [&](const Field& total) { record.event_totals.push_back(count_or_nan(total)); });
  }
}

void read_times(const Field& field, RankRecord& record) {
  record.run_time.value = field.at("run_time_s").non_negative();
  const Field mpi_time = field.at("mpi_time_s");
  record.mpi_time.value = mpi_time.non_negative();
  if (record.mpi_time > record.run_time)
    mpi_time.fail(fmt::format("at most run_time_s, {}", record.run_time.value));
  if (field.has("cpu_time_s")) record.cpu_time = Seconds{field.at("cpu_time_s").non_negative()};
  if (field.has("peak_resident_bytes"))
    record.peak_resident.value = field.at("peak_resident_bytes").unsigned_integer();
}

std::vector<PassPeriodRecord> read_periods(const Field& field, const SharedTables* shared) {
  std::vector<PassPeriodRecord> periods;
  field.for_each([&](const Field& entry) {
    PassPeriodRecord& period = periods.emplace_back();
    period.first = entry.at("first").unsigned_integer();
    const Field passes = entry.at("passes");
    period.passes = passes.unsigned_integer();
    const Field groups = entry.at("groups");
    if (groups.array_size() < 2)
      groups.fail(fmt::format("an array of {}", groups.array_size()), "2 or more");
    if (period.passes < groups.array_size())
      passes.fail(fmt::format("{} or more, as many as \"groups\"", groups.array_size()));
    groups.for_each([&](const Field& group) {
      period.groups.push_back(group.unsigned_integer());
      if (shared != nullptr && !knows(shared->phase_groups, period.groups.back()))
        group.fail("the id of one of the phase_groups");
    });
    if (periods.size() > 1 && periods[periods.size() - 2].first >= period.first)
      entry.at("first").fail("more than that of the one before");
  });
  return periods;
}

void read_phase_tables(const Field& field, const SharedTables* shared, RankRecord& record) {
  const std::size_t events = record.events.size();
  if (field.has("phases")) record.phases = read_phases(field.at("phases"), events, shared);
  if (field.has("openmp_regions"))
    record.openmp_regions = read_region_records(field.at("openmp_regions"), events, shared);
  if (field.has("packed_regions"))
    record.packed_regions = read_packed_records(field.at("packed_regions"), shared, "cores");
  if (field.has("smaller_teams"))
    record.smaller_teams = read_packed_records(field.at("smaller_teams"), shared, "threads");
  if (field.has("region_periods"))
    record.region_periods = read_region_periods(field.at("region_periods"), shared);
  if (field.has("region_positions"))
    record.region_positions = read_region_positions(field.at("region_positions"), shared);
  if (field.has("periods")) record.periods = read_periods(field.at("periods"), shared);
}

Hertz read_clock(const Field& field) {
  const double clock = field.number();
  if (!(clock > 0)) field.fail("a number above 0");
  return {clock};
}

RankBalancing read_balancing(const Field& field) {
  RankBalancing balancing;
  balancing.state = field.at("state").text();
  if (field.has("imbalance")) {
    balancing.imbalance = field.at("imbalance").number();
    if (!(*balancing.imbalance >= 1)) field.at("imbalance").fail("1 or more");
  }
  if (field.has("beyond_clocks")) balancing.beyond_clocks = field.at("beyond_clocks").boolean();
  balancing.points = field.at("points").unsigned_32();
  balancing.overruns = field.at("overruns").unsigned_32();
  balancing.lost.value = field.at("lost_s").number();
  balancing.elapsed.value = field.at("elapsed_s").non_negative();
  balancing.periods = field.at("periods").unsigned_integer();
  balancing.clock_changes = field.at("clock_changes").unsigned_integer();
  balancing.top = read_clock(field.at("top_hz"));
  balancing.lowest = read_clock(field.at("lowest_hz"));
  balancing.mean = read_clock(field.at("mean_hz"));
  for (const Hertz clock : {balancing.lowest, balancing.mean})
    if (clock > balancing.top * (1 + 1e-9))
      field.at("top_hz").fail("at least lowest_hz and mean_hz");
  return balancing;
}

bool knows_periods(const SharedTables& shared, const std::vector<PassPeriodRecord>& periods) {
  return std::ranges::all_of(periods, [&](const PassPeriodRecord& period) {
    return std::ranges::all_of(
        period.groups, [&](std::uint64_t group) { return knows(shared.phase_groups, group); });
  });
}

bool knows_groups(const SharedTables& shared, const std::vector<PhaseRecord>& phases) {
  return std::all_of(phases.begin(), phases.end(), [&](const PhaseRecord& phase) {
    return knows(shared.phase_groups, phase.group);
  });
}

}  // namespace

EnergyOrigin read_energy_origin(const Field& entry) {
  if (!entry.has("origin")) return EnergyOrigin::kMeter;
  const Field field = entry.at("origin");
  const auto origin = energy_origin_of(field.text());
  if (!origin) field.fail("\"meter\", \"measured\" or \"attributed\"");
  return *origin;
}

RankRecord read_rank_record(const Field& field, std::uint32_t ranks, const SharedTables* shared) {
  RankRecord record;
  record.rank.value = field.at("rank").unsigned_32(ranks - 1);
  record.node = field.at("node").text();
  record.pus = read_pus(field.at("pus"));
  read_times(field, record);
  record.sent = read_messages(field.at("sent"), ranks);
  if (field.has("sent_to_neighbours"))
    record.sent_to_neighbours = read_messages(field.at("sent_to_neighbours"), ranks);
  if (field.has("put")) record.put = read_messages(field.at("put"), ranks);
  if (field.has("fetched")) record.fetched = read_messages(field.at("fetched"), ranks);
  const Field collectives = field.at("collectives");
  record.collectives.reserve(collectives.array_size());
  collectives.for_each([&](const Field& entry) {
    record.collectives.push_back(read_collective(entry, ranks, shared));
  });
  if (field.has("calls")) record.calls = read_calls(field.at("calls"));
  read_events(field, record);
  read_phase_tables(field, shared, record);
  if (field.has("balancing")) record.balancing = read_balancing(field.at("balancing"));
  if (field.has("node_energy"))
    field.at("node_energy").for_each([&](const Field& entry) {
      record.node_energy.push_back({entry.at("meter").text(),
                                    Joules{entry.at("energy_j").non_negative()},
                                    read_energy_origin(entry)});
    });
  return record;
}

bool knows_all_of(const SharedTables& shared, const RankRecord& record) {
  return std::all_of(record.collectives.begin(), record.collectives.end(),
                     [&](const CollectiveCalls& calls) {
                       return calls.communicator_id == 0 ||
                              knows(shared.communicators, calls.communicator_id);
                     }) &&
         knows_regions(shared, record.openmp_regions) &&
         knows_regions(shared, record.packed_regions) &&
         knows_regions(shared, record.smaller_teams) &&
         knows_regions(shared, record.region_periods) &&
         knows_regions(shared, record.region_positions) && knows_periods(shared, record.periods) &&
         knows_groups(shared, record.phases);
}

}  // namespace huddle
