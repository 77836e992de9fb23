#include "profiles/formats/profile/rank_record_reader.hpp"

#include <fmt/format.h>

#include <limits>

#include <algorithm>
#include <utility>

#include "profiles/formats/profile/phase_reader.hpp"
#include "profiles/formats/profile/table_columns.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/size_class.hpp"

namespace huddle {
namespace {

using In = DocumentReader;
using Need = DocumentReader::Need;

std::uint8_t read_size_class(In& in) {
  return static_cast<std::uint8_t>(in.unsigned_integer(kSizeClasses - 1));
}

// ---- The rows of the matrices.

struct Messages {
  std::uint32_t ranks;
  TableColumns<SentMessages, 4> columns = {};
};

constexpr std::array<std::string_view, 4> kMessageColumns = {"receiver", "size_class", "messages",
                                                             "bytes"};
constexpr std::array<In::Member<Messages>, 4> kMessageMembers = {{
    {kMessageColumns[0], Need::kRequired,
     [](In& in, Messages& into) {
       into.columns.read(in, 0, [&](SentMessages& cell) {
         cell.receiver.value = in.unsigned_32(into.ranks - 1);
       });
     }},
    {kMessageColumns[1], Need::kRequired,
     [](In& in, Messages& into) {
       into.columns.read(in, 1, [&](SentMessages& cell) { cell.size_class = read_size_class(in); });
     }},
    {kMessageColumns[2], Need::kRequired,
     [](In& in, Messages& into) {
       into.columns.read(in, 2, [&](SentMessages& cell) { cell.messages = in.unsigned_integer(); });
     }},
    {kMessageColumns[3], Need::kRequired,
     [](In& in, Messages& into) {
       into.columns.read(in, 3,
                         [&](SentMessages& cell) { cell.bytes.value = in.unsigned_integer(); });
     }},
}};

std::vector<SentMessages> read_messages(In& in, std::uint32_t ranks) {
  Messages messages{ranks};
  in.object(kMessageMembers, messages);
  messages.columns.check_lengths(in, kMessageColumns);
  const std::vector<SentMessages>& rows = messages.columns.rows;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].size_class == 0 && rows[i].bytes.value != 0)
      in.fail(fmt::format("{}", rows[i].bytes.value), "0, since the size class is 0",
              fmt::format(".bytes[{}]", i));
  if (const SentMessages* const twice = messages.columns.sort_by(
          [](const SentMessages& cell) { return std::pair(cell.receiver, cell.size_class); }))
    in.fail(fmt::format("receiver {} with size class {} twice", twice->receiver.value,
                        twice->size_class),
            "each pair only once");
  return {rows.begin(), rows.end()};  // no larger than it must be
}

// ---- Collectives and other calls.

struct Collective {
  std::uint32_t ranks;
  const SharedTables* shared;
  CollectiveCalls calls = {};
};

void read_communicator_id(In& in, Collective& into) {
  into.calls.communicator_id = in.unsigned_integer();
  if (into.shared == nullptr || into.calls.communicator_id == 0) return;
  if (!std::binary_search(into.shared->communicators.begin(), into.shared->communicators.end(),
                          Communicator{into.calls.communicator_id, {}, {}},
                          [](const auto& a, const auto& b) { return a.id < b.id; }))
    in.fail_value("the id of one of the communicators");
}

constexpr std::array<In::Member<Collective>, 9> kCollectiveMembers = {{
    {"operation", Need::kRequired,
     [](In& in, Collective& into) { into.calls.operation = in.text(); }},
    {"communicator", Need::kRequired,
     [](In& in, Collective& into) { into.calls.communicator = in.text(); }},
    {"communicator_id", Need::kOptional, read_communicator_id},
    {"participants", Need::kRequired,
     [](In& in, Collective& into) { into.calls.participants = in.unsigned_32(into.ranks); }},
    {"size_class", Need::kRequired,
     [](In& in, Collective& into) { into.calls.size_class = read_size_class(in); }},
    {"calls", Need::kRequired,
     [](In& in, Collective& into) { into.calls.calls = in.unsigned_integer(); }},
    {"bytes", Need::kRequired,
     [](In& in, Collective& into) { into.calls.bytes.value = in.unsigned_integer(); }},
    {"time_s", Need::kRequired,
     [](In& in, Collective& into) { into.calls.time.value = in.non_negative(); }},
    {"shortest_s", Need::kOptional,
     [](In& in, Collective& into) { into.calls.shortest = Seconds{in.non_negative()}; }},
}};

void check_shortest(const In& in, const CollectiveCalls& calls) {
  if (calls.shortest && *calls.shortest > calls.time)
    in.fail(fmt::format("{}", calls.shortest->value),
            fmt::format("at most time_s, {}", calls.time.value), ".shortest_s");
}

std::vector<CollectiveCalls> read_collectives(In& in, std::uint32_t ranks,
                                              const SharedTables* shared) {
  std::vector<CollectiveCalls> collectives;
  in.array([&](std::size_t) {
    Collective collective{ranks, shared};
    in.object(kCollectiveMembers, collective);
    check_shortest(in, collective.calls);
    collectives.push_back(std::move(collective.calls));
  });
  collectives.shrink_to_fit();
  return collectives;
}

using Calls = TableColumns<CallKind, 4>;
constexpr std::array<std::string_view, 4> kCallColumns = {"operation", "calls", "timed", "time_s"};
constexpr std::array<In::Member<Calls>, 4> kCallMembers = {{
    {kCallColumns[0], Need::kRequired,
     [](In& in, Calls& into) {
       into.read(in, 0, [&](CallKind& kind) { kind.operation = in.text(); });
     }},
    {kCallColumns[1], Need::kRequired,
     [](In& in, Calls& into) {
       into.read(in, 1, [&](CallKind& kind) { kind.calls = in.unsigned_integer(); });
     }},
    {kCallColumns[2], Need::kRequired,
     [](In& in, Calls& into) {
       into.read(in, 2, [&](CallKind& kind) { kind.timed = in.unsigned_integer(); });
     }},
    {kCallColumns[3], Need::kRequired,
     [](In& in, Calls& into) {
       into.read(in, 3, [&](CallKind& kind) { kind.time.value = in.non_negative(); });
     }},
}};

std::vector<CallKind> read_calls(In& in) {
  Calls calls;
  in.object(kCallMembers, calls);
  calls.check_lengths(in, kCallColumns);
  for (std::size_t i = 0; i < calls.rows.size(); ++i)
    if (calls.rows[i].timed > calls.rows[i].calls)
      in.fail(fmt::format("{}", calls.rows[i].timed),
              fmt::format("at most calls, {}", calls.rows[i].calls), fmt::format(".timed[{}]", i));
  if (const CallKind* const twice =
          calls.sort_by([](const CallKind& kind) -> const std::string& { return kind.operation; }))
    in.fail(fmt::format("operation \"{}\" twice", twice->operation), "each operation only once");
  return {calls.rows.begin(), calls.rows.end()};
}

// ---- Counters and meters.

std::vector<std::string> read_events(In& in) {
  std::vector<std::string> events;
  in.array([&](std::size_t) { events.emplace_back(in.text()); });
  std::vector<std::string_view> sorted(events.begin(), events.end());
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    in.fail(fmt::format("event \"{}\" twice", *twice), "each event only once");
  events.shrink_to_fit();
  return events;
}

constexpr std::array<In::Member<EnergyReading>, 2> kReadingMembers = {{
    {"meter", Need::kRequired, [](In& in, EnergyReading& into) { into.meter = in.text(); }},
    {"energy_j", Need::kRequired,
     [](In& in, EnergyReading& into) { into.energy.value = in.non_negative(); }},
}};

std::vector<EnergyReading> read_readings(In& in) {
  std::vector<EnergyReading> readings;
  in.array([&](std::size_t) { in.object(kReadingMembers, readings.emplace_back()); });
  return readings;
}

// ---- Phases on other placements.

PuSet read_pus(In& in) {
  try {
    return PuSet::parse(in.text());
  } catch (const FormatError&) {
    throw;
  } catch (const Error&) {
    in.fail_value("a list of PUs such as 0-3,8");
  }
}

// The counts of a table can be taken only when the record's events are known.
struct Moved {
  const SharedTables* shared;
  MovedPhases moved = {};
  PhaseTable phases = {};
};

constexpr std::array<In::Member<Moved>, 4> kMovedMembers = {{
    {"pus", Need::kRequired, [](In& in, Moved& into) { into.moved.pus = read_pus(in); }},
    {"bursts", Need::kRequired,
     [](In& in, Moved& into) { into.moved.bursts = in.unsigned_integer(); }},
    {"cost_s", Need::kRequired,
     [](In& in, Moved& into) { into.moved.cost.value = in.non_negative(); }},
    {"phases", Need::kRequired,
     [](In& in, Moved& into) { read_phase_table(in, into.shared, into.phases); }},
}};

std::vector<Moved> read_moved(In& in, const SharedTables* shared) {
  std::vector<Moved> placements;
  in.array([&](std::size_t i) {
    Moved& moved = placements.emplace_back(Moved{shared});
    in.object(kMovedMembers, moved);
    moved.phases.place = fmt::format(".moved[{}].phases", i);
  });
  return placements;
}

std::vector<MovedPhases> take_moved(const In& in, std::size_t events, std::vector<Moved>& moved) {
  std::vector<MovedPhases> placements;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    for (const MovedPhases& other : placements)
      if (other.pus == moved[i].moved.pus)
        in.fail(fmt::format("\"{}\" twice", other.pus.list()), "each placement only once",
                fmt::format(".moved[{}].pus", i));
    moved[i].moved.phases = take_phases(in, events, moved[i].phases);
    placements.push_back(std::move(moved[i].moved));
  }
  return placements;
}

// ---- The record.

struct Record {
  std::uint32_t ranks;
  const SharedTables* shared;
  RankRecord record = {};
  PhaseTable phases = {};
  std::vector<Moved> moved = {};
  PhaseTable between_moves = {};
};

constexpr std::array<In::Member<Record>, 20> kMembers = {{
    {"rank", Need::kRequired,
     [](In& in, Record& into) { into.record.rank.value = in.unsigned_32(into.ranks - 1); }},
    {"node", Need::kRequired, [](In& in, Record& into) { into.record.node = in.text(); }},
    {"pus", Need::kRequired, [](In& in, Record& into) { into.record.pus = read_pus(in); }},
    {"run_time_s", Need::kRequired,
     [](In& in, Record& into) { into.record.run_time.value = in.non_negative(); }},
    {"mpi_time_s", Need::kRequired,
     [](In& in, Record& into) { into.record.mpi_time.value = in.non_negative(); }},
    {"cpu_time_s", Need::kOptional,
     [](In& in, Record& into) { into.record.cpu_time = Seconds{in.non_negative()}; }},
    {"peak_resident_bytes", Need::kOptional,
     [](In& in, Record& into) { into.record.peak_resident.value = in.unsigned_integer(); }},
    {"sent", Need::kRequired,
     [](In& in, Record& into) { into.record.sent = read_messages(in, into.ranks); }},
    {"sent_to_neighbours", Need::kOptional,
     [](In& in, Record& into) { into.record.sent_to_neighbours = read_messages(in, into.ranks); }},
    {"put", Need::kOptional,
     [](In& in, Record& into) { into.record.put = read_messages(in, into.ranks); }},
    {"fetched", Need::kOptional,
     [](In& in, Record& into) { into.record.fetched = read_messages(in, into.ranks); }},
    {"collectives", Need::kRequired,
     [](In& in, Record& into) {
       into.record.collectives = read_collectives(in, into.ranks, into.shared);
     }},
    {"calls", Need::kOptional, [](In& in, Record& into) { into.record.calls = read_calls(in); }},
    {"phases", Need::kOptional,
     [](In& in, Record& into) { read_phase_table(in, into.shared, into.phases); }},
    {"moved", Need::kOptional,
     [](In& in, Record& into) { into.moved = read_moved(in, into.shared); }},
    {"between_moves", Need::kOptional,
     [](In& in, Record& into) {
       into.between_moves.place = ".between_moves";
       read_phase_table(in, into.shared, into.between_moves);
     }},
    {"not_moved", Need::kOptional, [](In& in, Record& into) { into.record.not_moved = in.text(); }},
    {"events", Need::kOptional, [](In& in, Record& into) { into.record.events = read_events(in); }},
    {"event_totals", Need::kOptional,
     [](In& in, Record& into) {
       in.array([&](std::size_t) {
         into.record.event_totals.push_back(in.null() ? std::numeric_limits<double>::quiet_NaN()
                                                      : in.non_negative());
       });
       into.record.event_totals.shrink_to_fit();
     }},
    {"node_energy", Need::kOptional,
     [](In& in, Record& into) { into.record.node_energy = read_readings(in); }},
}};

}  // namespace

RankRecord read_rank_record(DocumentReader& in, std::uint32_t ranks, const SharedTables* shared) {
  Record into{ranks, shared};
  in.object(kMembers, into);
  RankRecord& record = into.record;
  if (record.mpi_time > record.run_time)
    in.fail(fmt::format("{}", record.mpi_time.value),
            fmt::format("at most run_time_s, {}", record.run_time.value), ".mpi_time_s");
  if (!record.event_totals.empty() && record.event_totals.size() != record.events.size())
    in.fail(fmt::format("an array of {}", record.event_totals.size()),
            fmt::format("an array of {}, as long as \"events\"", record.events.size()),
            ".event_totals");
  record.phases = take_phases(in, record.events.size(), into.phases);
  record.moved = take_moved(in, record.events.size(), into.moved);
  record.between_moves = take_phases(in, record.events.size(), into.between_moves);
  return std::move(record);
}

}  // namespace huddle
