#include "profiles/formats/profile/detail/openmp_region_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
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

void read_groups(TableColumns<OpenMpRegionRecord>& columns, const SharedTables* shared) {
  columns.read("group", [&](OpenMpRegionRecord& record, const Field& value) {
    record.group = value.unsigned_integer();
    if (shared != nullptr && !has_group(*shared, record.group))
      value.fail("0, or the id of one of the phase_groups");
  });
}

// Reads the columns that both tables have of each region, `Record` being OpenMpRegionRecord or
// PackedRegionRecord.
template <class Record>
void read_regions_passes(TableColumns<Record>& columns, const SharedTables* shared) {
  columns.read("region", [shared](Record& record, const Field& value) {
    record.region = value.unsigned_integer();
    if (shared != nullptr && !has_id(shared->openmp_regions, record.region))
      value.fail("the id of one of the openmp_regions");
  });
  columns.read("passes", [](Record& record, const Field& value) {
    record.passes = value.unsigned_integer();
    if (record.passes == 0) value.fail("1 or more");
  });
  columns.read("longest_s", [](Record& record, const Field& value) {
    record.longest.value = value.non_negative();
  });
  columns.read("shortest_s", [](Record& record, const Field& value) {
    record.shortest.value = value.non_negative();
    if (record.shortest > record.longest)
      value.fail(fmt::format("at most longest_s, {}", record.longest.value));
  });
  columns.read("mean_s", [](Record& record, const Field& value) {
    record.mean.value = value.non_negative();
    const double rounding = kRoundedMean * record.longest.value;
    if (record.mean.value < record.shortest.value - rounding ||
        record.mean.value > record.longest.value + rounding)
      value.fail(fmt::format("between shortest_s, {}, and longest_s, {}", record.shortest.value,
                             record.longest.value));
  });
  columns.read("variance_s2", [](Record& record, const Field& value) {
    record.variance_s2 = value.non_negative();
  });
}

// Only where passes were left out.
void read_timed_passes(TableColumns<OpenMpRegionRecord>& columns, const Field& table) {
  if (!table.has("timed_passes")) return;
  columns.read("timed_passes", [](OpenMpRegionRecord& record, const Field& value) {
    const std::uint64_t timed = value.unsigned_integer();
    if (timed > record.passes) value.fail(fmt::format("at most passes, {}", record.passes));
    record.untimed_passes = record.passes - timed;
  });
}

// Only where work was looked at. Behind the columns of times, which bound it.
void read_work(TableColumns<OpenMpRegionRecord>& columns, const Field& table) {
  if (!table.has("observed_passes")) return;
  columns.read("observed_passes", [](OpenMpRegionRecord& record, const Field& value) {
    record.observed_passes = value.unsigned_integer();
    const std::uint64_t timed = record.passes - record.untimed_passes;
    if (record.observed_passes > timed)
      value.fail(fmt::format("at most the timed passes, {}", timed));
  });
  columns.read("busiest_s", [](OpenMpRegionRecord& record, const Field& value) {
    record.busiest.value = value.non_negative();
    if (record.busiest.value > (1 + kRoundedMean) * record.longest.value)
      value.fail(fmt::format("at most longest_s, {}", record.longest.value));
  });
  columns.read("busy_s", [](OpenMpRegionRecord& record, const Field& value) {
    record.busy.value = value.non_negative();
    if (record.busy.value > (1 + kRoundedMean) * record.busiest.value)
      value.fail(fmt::format("at most busiest_s, {}", record.busiest.value));
  });
}

// Only where something was counted. Behind the columns of passes, which bound it.
void read_counters(TableColumns<OpenMpRegionRecord>& columns, const Field& table,
                   std::size_t events) {
  if (!table.has("counted_passes")) return;
  columns.read("counted_passes", [](OpenMpRegionRecord& record, const Field& value) {
    record.counted_passes = value.unsigned_integer();
    const std::uint64_t timed = record.passes - record.untimed_passes;
    if (record.counted_passes > timed)
      value.fail(fmt::format("at most the timed passes, {}", timed));
  });
  columns.read("counted_for", [](OpenMpRegionRecord& record, const Field& value) {
    record.counted_for = value.unsigned_integer();
    if (record.counted_for < record.counted_passes)
      value.fail(fmt::format("at least counted_passes, {}", record.counted_passes));
    if (record.counted_for > 0 && record.counted_passes == 0)
      value.fail("0, since no pass was counted");
  });
  columns.read("counted_time_s", [](OpenMpRegionRecord& record, const Field& value) {
    record.counted_time.value = value.non_negative();
    if (record.counted_time.value > 0 && record.counted_passes == 0)
      value.fail("0, since no pass was counted");
  });
  read_counts(table.at("counts"), events, "region", "counted_passes", columns.rows(),
              [](const OpenMpRegionRecord& record) { return record.counted_passes; });
}

std::uint32_t read_count(const Field& value, std::uint32_t least) {
  const std::uint32_t count = value.unsigned_32(std::numeric_limits<std::uint32_t>::max());
  if (count < least) value.fail(fmt::format("{} or more", least));
  return count;
}

void read_places(TableColumns<PackedRegionRecord>& columns, const char* cores) {
  columns.read("team", [](PackedRegionRecord& record, const Field& value) {
    record.team = read_count(value, 1);
  });
  columns.read(cores, [](PackedRegionRecord& record, const Field& value) {
    record.cores = read_count(value, 1);
    if (record.cores >= record.team) value.fail(fmt::format("fewer than team, {}", record.team));
  });
  columns.read("packages", [&](PackedRegionRecord& record, const Field& value) {
    record.packages = read_count(value, 1);
    if (record.packages > record.cores)
      value.fail(fmt::format("at most {}, {}", cores, record.cores));
  });
}

void read_other_passes(TableColumns<PackedRegionRecord>& columns) {
  columns.read("first_passes", [](PackedRegionRecord& record, const Field& value) {
    record.first_passes = value.unsigned_integer();
  });
  columns.read("first_mean_s", [](PackedRegionRecord& record, const Field& value) {
    record.first_mean.value = value.non_negative();
  });
  columns.read("usual_passes", [](PackedRegionRecord& record, const Field& value) {
    record.usual_passes = value.unsigned_integer();
  });
  columns.read("usual_mean_s", [](PackedRegionRecord& record, const Field& value) {
    record.usual_mean.value = value.non_negative();
  });
  columns.read("usual_variance_s2", [](PackedRegionRecord& record, const Field& value) {
    record.usual_variance_s2 = value.non_negative();
  });
}

// Only of runs that chose by what they had tried.
void read_acted_passes(TableColumns<PackedRegionRecord>& columns, const Field& table) {
  if (!table.has("acted_passes")) return;
  columns.read("acted_passes", [](PackedRegionRecord& record, const Field& value) {
    record.acted_passes = value.unsigned_integer();
  });
  columns.read("acted_mean_s", [](PackedRegionRecord& record, const Field& value) {
    record.acted_mean.value = value.non_negative();
  });
}

}  // namespace

std::vector<OpenMpRegionRecord> read_region_records(const Field& table, std::size_t events,
                                                    const SharedTables* shared) {
  TableColumns<OpenMpRegionRecord> columns(table, "region");
  read_groups(columns, shared);
  read_regions_passes(columns, shared);
  columns.read("serial_s", [](OpenMpRegionRecord& record, const Field& value) {
    record.serial.value = value.non_negative();
  });
  columns.read("smallest_team", [](OpenMpRegionRecord& record, const Field& value) {
    record.smallest_team = read_count(value, 1);
  });
  columns.read("largest_team", [](OpenMpRegionRecord& record, const Field& value) {
    record.largest_team = read_count(value, record.smallest_team);
  });
  read_timed_passes(columns, table);
  read_work(columns, table);
  read_counters(columns, table, events);
  return columns.take_sorted(
      [](const OpenMpRegionRecord& record) { return std::pair(record.group, record.region); },
      [](const OpenMpRegionRecord& record) {
        return fmt::format("group {} with region {}", record.group, record.region);
      },
      "each pair only once");
}

std::vector<PackedRegionRecord> read_packed_records(const Field& table, const SharedTables* shared,
                                                    const char* cores) {
  TableColumns<PackedRegionRecord> columns(table, "region");
  read_regions_passes(columns, shared);
  read_places(columns, cores);
  read_other_passes(columns);
  read_acted_passes(columns, table);
  return columns.take_sorted(
      [](const PackedRegionRecord& record) {
        return std::tuple(record.region, record.team, record.cores, record.packages);
      },
      [&](const PackedRegionRecord& record) {
        return fmt::format("region {} with a team of {} on {} {} of {} packages", record.region,
                           record.team, record.cores, cores, record.packages);
      },
      "each of them only once");
}

bool knows_regions(const SharedTables& shared, const std::vector<PackedRegionRecord>& records) {
  return std::all_of(records.begin(), records.end(), [&](const PackedRegionRecord& record) {
    return has_id(shared.openmp_regions, record.region);
  });
}

bool knows_regions(const SharedTables& shared, const std::vector<OpenMpRegionRecord>& records) {
  return std::all_of(records.begin(), records.end(), [&](const OpenMpRegionRecord& record) {
    return has_group(shared, record.group) && has_id(shared.openmp_regions, record.region);
  });
}

std::vector<RegionPeriodRecord> read_region_periods(const Field& field,
                                                    const SharedTables* shared) {
  std::vector<RegionPeriodRecord> periods;
  field.for_each([&](const Field& entry) {
    RegionPeriodRecord& period = periods.emplace_back();
    period.first = entry.at("first").unsigned_integer();
    const Field passes = entry.at("passes");
    period.passes = passes.unsigned_integer();
    const Field regions = entry.at("regions");
    if (regions.array_size() < 2)
      regions.fail(fmt::format("an array of {}", regions.array_size()), "2 or more");
    if (period.passes < regions.array_size())
      passes.fail(fmt::format("{} or more, as many as \"regions\"", regions.array_size()));
    regions.for_each([&](const Field& region) {
      period.regions.push_back(region.unsigned_integer());
      if (shared != nullptr && !has_id(shared->openmp_regions, period.regions.back()))
        region.fail("the id of one of the openmp_regions");
    });
    if (periods.size() > 1 && periods[periods.size() - 2].first >= period.first)
      entry.at("first").fail("more than that of the one before");
  });
  return periods;
}

bool knows_regions(const SharedTables& shared, const std::vector<RegionPeriodRecord>& periods) {
  return std::ranges::all_of(periods, [&](const RegionPeriodRecord& period) {
    return std::ranges::all_of(period.regions, [&](std::uint64_t region) {
      return has_id(shared.openmp_regions, region);
    });
  });
}

OpenMpRegion read_region(const Field& entry) {
  return {entry.at("id").unsigned_integer(), entry.at("place").text()};
}

namespace {

// A column for each event; null for regions in which nothing was counted.
void write_counts(DocumentWriter& out, const std::vector<OpenMpRegionRecord>& records,
                  std::size_t events) {
  using Row = const OpenMpRegionRecord&;
  out.column("counted_passes", records, [](Row row) { return row.counted_passes; });
  out.column("counted_for", records, [](Row row) { return row.counted_for; });
  out.column("counted_time_s", records, [](Row row) { return row.counted_time.value; });
  out.key("counts");
  out.open_array(events);
  for (std::size_t event = 0; event < events; ++event)
    out.array(records, [&](Row row) {
      if (row.counted_passes > 0 && event < row.counts.size())
        out.real(row.counts[event]);
      else
        out.null();
    });
  out.close_array();
}

}  // namespace

void write_region_records(DocumentWriter& out, const std::vector<OpenMpRegionRecord>& records,
                          std::size_t events) {
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
  if (std::ranges::any_of(records, [](Row row) { return row.untimed_passes > 0; }))
    out.column("timed_passes", records, [](Row row) { return row.passes - row.untimed_passes; });
  if (std::ranges::any_of(records, [](Row row) { return row.observed_passes > 0; })) {
    out.column("observed_passes", records, [](Row row) { return row.observed_passes; });
    out.column("busy_s", records, [](Row row) { return row.busy.value; });
    out.column("busiest_s", records, [](Row row) { return row.busiest.value; });
  }
  if (std::ranges::any_of(records, [](Row row) { return row.counted_passes > 0; }))
    write_counts(out, records, events);
  out.close_object();
}

void write_packed_records(DocumentWriter& out, const char* name, const char* cores,
                          const std::vector<PackedRegionRecord>& records) {
  if (records.empty()) return;
  using Row = const PackedRegionRecord&;
  out.key(name);
  out.open_object();
  out.column("region", records, [](Row row) { return row.region; });
  out.column("team", records, [](Row row) { return row.team; });
  out.column(cores, records, [](Row row) { return row.cores; });
  out.column("packages", records, [](Row row) { return row.packages; });
  out.column("passes", records, [](Row row) { return row.passes; });
  out.column("mean_s", records, [](Row row) { return row.mean.value; });
  out.column("variance_s2", records, [](Row row) { return row.variance_s2; });
  out.column("shortest_s", records, [](Row row) { return row.shortest.value; });
  out.column("longest_s", records, [](Row row) { return row.longest.value; });
  out.column("first_passes", records, [](Row row) { return row.first_passes; });
  out.column("first_mean_s", records, [](Row row) { return row.first_mean.value; });
  out.column("usual_passes", records, [](Row row) { return row.usual_passes; });
  out.column("usual_mean_s", records, [](Row row) { return row.usual_mean.value; });
  out.column("usual_variance_s2", records, [](Row row) { return row.usual_variance_s2; });
  if (std::ranges::any_of(records, [](Row row) { return row.acted_passes > 0; })) {
    out.column("acted_passes", records, [](Row row) { return row.acted_passes; });
    out.column("acted_mean_s", records, [](Row row) { return row.acted_mean.value; });
  }
  out.close_object();
}

void write_region_periods(DocumentWriter& out, const std::vector<RegionPeriodRecord>& periods) {
  if (periods.empty()) return;
  out.key("region_periods");
  out.array(periods, [&](const RegionPeriodRecord& period) {
    out.open_object();
    out.member("first", period.first);
    out.member("passes", period.passes);
    out.key("regions");
    out.array(period.regions, [&](std::uint64_t region) { out.value(region); });
    out.close_object();
  });
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
