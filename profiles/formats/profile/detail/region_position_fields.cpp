// Fields of the times of regions by their position in a period.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "profiles/formats/profile/detail/openmp_region_fields.hpp"
#include "profiles/formats/profile/detail/table_columns.hpp"

namespace huddle {
namespace {

template <class Entry>
bool table_has(const std::vector<Entry>& table, std::uint64_t id) {
  const auto entry = std::ranges::lower_bound(table, id, {}, &Entry::id);
  return entry != table.end() && entry->id == id;
}

std::uint32_t count_from(const Field& value, std::uint32_t least) {
  const std::uint32_t count = value.unsigned_32(std::numeric_limits<std::uint32_t>::max());
  if (count < least) value.fail(fmt::format("{} or more", least));
  return count;
}

// Reads the columns that both tables begin with.
template <class Record>
void read_times_at_position(TableColumns<Record>& columns, const SharedTables* shared) {
  columns.read("region", [shared](Record& record, const Field& value) {
    record.region = value.unsigned_integer();
    if (shared != nullptr && !table_has(shared->openmp_regions, record.region))
      value.fail("the id of one of the openmp_regions");
  });
  columns.read("context", [](Record& record, const Field& value) {
    record.context = value.unsigned_integer();
  });
  columns.read("passes", [](Record& record, const Field& value) {
    record.passes = value.unsigned_integer();
    if (record.passes == 0) value.fail("1 or more");
  });
  columns.read("mean_s", [](Record& record, const Field& value) {
    record.mean.value = value.non_negative();
  });
  columns.read("variance_s2", [](Record& record, const Field& value) {
    record.variance_s2 = value.non_negative();
  });
}

std::vector<RegionPositionRecord> read_as_started(const Field& table, const SharedTables* shared) {
  TableColumns<RegionPositionRecord> columns(table, "region");
  read_times_at_position(columns, shared);
  columns.read("position", [](RegionPositionRecord& record, const Field& value) {
    record.position = count_from(value, record.context == 0 ? 0 : 1);
    if (record.context == 0 && record.position != 0) value.fail("0, as context is");
  });
  columns.read("group", [shared](RegionPositionRecord& record, const Field& value) {
    record.group = value.unsigned_integer();
    if (shared != nullptr && record.group != 0 && !table_has(shared->phase_groups, record.group))
      value.fail("0, or the id of one of the phase_groups");
  });
  columns.read("team", [](RegionPositionRecord& record, const Field& value) {
    record.team = count_from(value, 1);
  });
  return columns.take_sorted(
      [](const RegionPositionRecord& record) { return std::pair(record.region, record.context); },
      [](const RegionPositionRecord& record) {
        return fmt::format("region {} with context {}", record.region, record.context);
      },
      "each pair only once");
}

std::vector<PackedPositionRecord> read_packed(const Field& table, const SharedTables* shared) {
  TableColumns<PackedPositionRecord> columns(table, "region");
  read_times_at_position(columns, shared);
  columns.read("cores", [](PackedPositionRecord& record, const Field& value) {
    record.cores = count_from(value, 1);
  });
  columns.read("packages", [](PackedPositionRecord& record, const Field& value) {
    record.packages = count_from(value, 1);
    if (record.packages > record.cores) value.fail(fmt::format("at most cores, {}", record.cores));
  });
  columns.read("first_passes", [](PackedPositionRecord& record, const Field& value) {
    record.first_passes = value.unsigned_integer();
  });
  columns.read("first_mean_s", [](PackedPositionRecord& record, const Field& value) {
    record.first_mean.value = value.non_negative();
  });
  return columns.take_sorted(
      [](const PackedPositionRecord& record) {
        return std::tuple(record.region, record.context, record.cores, record.packages);
      },
      [](const PackedPositionRecord& record) {
        return fmt::format("region {} with context {} on {} cores of {} packages", record.region,
                           record.context, record.cores, record.packages);
      },
      "each of them only once");
}

template <class Record>
void write_times_at_position(DocumentWriter& out, const std::vector<Record>& records) {
  using Row = const Record&;
  out.column("region", records, [](Row row) { return row.region; });
  out.column("context", records, [](Row row) { return row.context; });
  out.column("passes", records, [](Row row) { return row.passes; });
  out.column("mean_s", records, [](Row row) { return row.mean.value; });
  out.column("variance_s2", records, [](Row row) { return row.variance_s2; });
}

}  // namespace

RegionPositions read_region_positions(const Field& field, const SharedTables* shared) {
  RegionPositions positions;
  positions.anchor = field.at("anchor").unsigned_integer();
  if (positions.anchor == 0) field.at("anchor").fail("1 or more");
  positions.length = count_from(field.at("length"), 2);
  positions.as_started = read_as_started(field.at("as_started"), shared);
  if (!field.has("packed")) return positions;
  const Field packed = field.at("packed");
  positions.packed = read_packed(packed, shared);
  for (const PackedPositionRecord& record : positions.packed)
    if (!std::ranges::binary_search(
            positions.as_started, std::pair(record.region, record.context), {},
            [](const RegionPositionRecord& one) { return std::pair(one.region, one.context); }))
      packed.fail(fmt::format("region {} with context {}", record.region, record.context),
                  "regions and contexts that are in \"as_started\"");
  return positions;
}

bool knows_regions(const SharedTables& shared, const RegionPositions& positions) {
  return std::ranges::all_of(positions.as_started, [&](const RegionPositionRecord& record) {
    return table_has(shared.openmp_regions, record.region) &&
           (record.group == 0 || table_has(shared.phase_groups, record.group));
  });
}

void write_region_positions(DocumentWriter& out, const RegionPositions& positions) {
  if (positions.as_started.empty()) return;
  using Row = const RegionPositionRecord&;
  using PackedRow = const PackedPositionRecord&;
  out.key("region_positions");
  out.open_object();
  out.member("anchor", positions.anchor);
  out.member("length", positions.length);
  out.key("as_started");
  out.open_object();
  write_times_at_position(out, positions.as_started);
  out.column("position", positions.as_started, [](Row row) { return row.position; });
  out.column("group", positions.as_started, [](Row row) { return row.group; });
  out.column("team", positions.as_started, [](Row row) { return row.team; });
  out.close_object();
  if (!positions.packed.empty()) {
    out.key("packed");
    out.open_object();
    write_times_at_position(out, positions.packed);
    out.column("cores", positions.packed, [](PackedRow row) { return row.cores; });
    out.column("packages", positions.packed, [](PackedRow row) { return row.packages; });
    out.column("first_passes", positions.packed, [](PackedRow row) { return row.first_passes; });
    out.column("first_mean_s", positions.packed,
               [](PackedRow row) { return row.first_mean.value; });
    out.close_object();
  }
  out.close_object();
}

}  // namespace huddle
