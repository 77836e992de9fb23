#include "profiles/formats/profile/detail/openmp_region_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "profiles/formats/profile/detail/table_columns.hpp"

namespace huddle {
namespace {

// As for phases: a mean of many passes, or one printed with few digits, is not exact.
constexpr double kRoundedMean = 1e-6;

template <class Entry>
bool has_id(const std::vector<Entry>& table, std::uint64_t id) {
  const auto entry = std::lower_bound(
      table.begin(), table.end(), id,
      [](const Entry& candidate, std::uint64_t key) { return candidate.id < key; });
  return entry != table.end() && entry->id == id;
}

bool has_group(const SharedTables& shared, std::uint64_t group) {
  return group == 0 || has_id(shared.phase_groups, group);
}

using Columns = TableColumns<OpenMpRegionRecord>;

void read_names(Columns& columns, const SharedTables* shared) {
  columns.read("group", [&](OpenMpRegionRecord& record, const Field& value) {
    record.group = value.unsigned_integer();
    if (shared != nullptr && !has_group(*shared, record.group))
      value.fail("0, or the id of one of the phase_groups");
  });
  columns.read("region", [&](OpenMpRegionRecord& record, const Field& value) {
    record.region = value.unsigned_integer();
    if (shared != nullptr && !has_id(shared->openmp_regions, record.region))
      value.fail("the id of one of the openmp_regions");
  });
}

void read_lengths(Columns& columns) {
  columns.read("longest_s", [](OpenMpRegionRecord& record, const Field& value) {
    record.longest.value = value.non_negative();
  });
  columns.read("shortest_s", [](OpenMpRegionRecord& record, const Field& value) {
    record.shortest.value = value.non_negative();
    if (record.shortest > record.longest)
      value.fail(fmt::format("at most longest_s, {}", record.longest.value));
  });
  columns.read("mean_s", [](OpenMpRegionRecord& record, const Field& value) {
    record.mean.value = value.non_negative();
    const double rounding = kRoundedMean * record.longest.value;
    if (record.mean.value < record.shortest.value - rounding ||
        record.mean.value > record.longest.value + rounding)
      value.fail(fmt::format("between shortest_s, {}, and longest_s, {}", record.shortest.value,
                             record.longest.value));
  });
  columns.read("variance_s2", [](OpenMpRegionRecord& record, const Field& value) {
    record.variance_s2 = value.non_negative();
  });
  columns.read("serial_s", [](OpenMpRegionRecord& record, const Field& value) {
    record.serial.value = value.non_negative();
  });
}

std::uint32_t read_team(const Field& value, std::uint32_t least) {
  const std::uint32_t team = value.unsigned_32(std::numeric_limits<std::uint32_t>::max());
  if (team < least) value.fail(fmt::format("{} or more", least));
  return team;
}

}  // namespace

std::vector<OpenMpRegionRecord> read_region_records(const Field& table,
                                                    const SharedTables* shared) {
  Columns columns(table, "region");
  read_names(columns, shared);
  columns.read("passes", [](OpenMpRegionRecord& record, const Field& value) {
    record.passes = value.unsigned_integer();
    if (record.passes == 0) value.fail("1 or more");
  });
  read_lengths(columns);
  columns.read("smallest_team", [](OpenMpRegionRecord& record, const Field& value) {
    record.smallest_team = read_team(value, 1);
  });
  columns.read("largest_team", [](OpenMpRegionRecord& record, const Field& value) {
    record.largest_team = read_team(value, record.smallest_team);
  });
  return columns.take_sorted(
      [](const OpenMpRegionRecord& record) { return std::pair(record.group, record.region); },
      [](const OpenMpRegionRecord& record) {
        return fmt::format("group {} with region {}", record.group, record.region);
      },
      "each pair only once");
}

bool knows_regions(const SharedTables& shared, const std::vector<OpenMpRegionRecord>& records) {
  return std::all_of(records.begin(), records.end(), [&](const OpenMpRegionRecord& record) {
    return has_group(shared, record.group) && has_id(shared.openmp_regions, record.region);
  });
}

OpenMpRegion read_region(const Field& entry) {
  return {entry.at("id").unsigned_integer(), entry.at("place").text()};
}

void write_region_records(DocumentWriter& out, const std::vector<OpenMpRegionRecord>& records) {
  if (records.empty()) return;
  using Row = const OpenMpRegionRecord&;
  out.key("openmp_regions");
  out.open_object();
  out.column("group", records, [](Row row) { return row.group; });
  out.column("region", records, [](Row row) { return row.region; });
  out.column("passes", records, [](Row row) { return row.passes; });
  out.column("mean_s", records, [](Row row) { return row.mean.value; });
  out.column("variance_s2", records, [](Row row) { return row.variance_s2; });
  out.column("shortest_s", records, [](Row row) { return row.shortest.value; });
  out.column("longest_s", records, [](Row row) { return row.longest.value; });
  out.column("serial_s", records, [](Row row) { return row.serial.value; });
  out.column("smallest_team", records, [](Row row) { return row.smallest_team; });
  out.column("largest_team", records, [](Row row) { return row.largest_team; });
  out.close_object();
}

void write_regions(DocumentWriter& out, const std::vector<OpenMpRegion>& regions) {
  out.key("openmp_regions");
  out.array(regions, [&](const OpenMpRegion& region) {
    out.open_object();
    out.member("id", region.id);
    out.member("place", region.place);
    out.close_object();
  });
}

}  // namespace huddle
