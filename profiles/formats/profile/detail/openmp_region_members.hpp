#pragma once

// Internal to the reader and writer of profiles: the members of OpenMP's regions in a rank's
// record. With `shared`, groups and regions have to be in there.

#include <tuple>

#include "profiles/formats/profile/detail/profile_members.hpp"
#include "profiles/formats/profile/openmp_regions.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

inline const std::vector<PhaseGroup>* groups_of(const SharedTables* shared) {
  return shared == nullptr ? nullptr : &shared->phase_groups;
}
inline const std::vector<OpenMpRegion>* regions_of(const SharedTables* shared) {
  return shared == nullptr ? nullptr : &shared->openmp_regions;
}

/// A mean of many passes, or one printed with few digits, is not exact.
inline constexpr double kRoundedMean = 1e-6;

template <class Table, class Row>
void describe_region(Table& table, Row* /*of this*/, const SharedTables* shared) {
  table.column("region", &Row::region, id_in(regions_of(shared), "openmp_regions"));
}

/// The times of one pass, which say something about each other.
template <class Table, class Row>
void describe_pass_times(Table& table, Row* /*of this*/) {
  table.column("mean_s", &Row::mean);
  table.column("variance_s2", &Row::variance_s2, kNotNegative);
  table.column("shortest_s", &Row::shortest);
  table.column("longest_s", &Row::longest);
  table.check("shortest_s", [](const Field& field, const Row& row) {
    if (row.shortest > row.longest)
      field.fail(fmt::format("at most longest_s, {}", row.longest.value));
  });
  table.check("mean_s", [](const Field& field, const Row& row) {
    const Seconds rounding = row.longest * kRoundedMean;
    if (row.mean < row.shortest - rounding || row.mean > row.longest + rounding)
      field.fail(fmt::format("between shortest_s, {}, and longest_s, {}", row.shortest.value,
                             row.longest.value));
  });
}

template <class Table>
void describe_region_work(Table& table) {
  using Row = OpenMpRegionRecord;
  const auto at_most_timed = [](const Field& field, std::uint64_t passes, const Row& row) {
    const std::uint64_t timed = row.passes - row.untimed_passes;
    if (passes > timed) field.fail(fmt::format("at most the timed passes, {}", timed));
  };
  const auto beyond = [](Seconds part, Seconds whole) { return part > whole * (1 + kRoundedMean); };
  if (table.any("timed_passes", [](const Row& row) { return row.untimed_passes > 0; }))
    table.derived(
        "timed_passes", [](const Row& row) { return row.passes - row.untimed_passes; },
        [](Row& row, std::uint64_t timed, const Field& field) {
          if (timed > row.passes) field.fail(fmt::format("at most passes, {}", row.passes));
          row.untimed_passes = row.passes - timed;
        });
  if (table.any("observed_passes", [](const Row& row) { return row.observed_passes > 0; })) {
    table.column("observed_passes", &Row::observed_passes, at_most_timed);
    table.column("busy_s", &Row::busy);
    table.column("busiest_s", &Row::busiest,
                 [&](const Field& field, Seconds busiest, const Row& row) {
                   if (beyond(busiest, row.longest))
                     field.fail(fmt::format("at most longest_s, {}", row.longest.value));
                 });
    table.check("busy_s", [&](const Field& field, const Row& row) {
      if (beyond(row.busy, row.busiest))
        field.fail(fmt::format("at most busiest_s, {}", row.busiest.value));
    });
  }
}

template <class Table>
void describe_region_counters(Table& table, std::size_t events) {
  using Row = OpenMpRegionRecord;
  if (!table.any("counted_passes", [](const Row& row) { return row.counted_passes > 0; })) return;
  const auto none_counted = [](const Field& field, const auto& value, const Row& row) {
    if (is_set(value) && row.counted_passes == 0) field.fail("0, since no pass was counted");
  };
  table.column("counted_passes", &Row::counted_passes,
               [](const Field& field, std::uint64_t passes, const Row& row) {
                 const std::uint64_t timed = row.passes - row.untimed_passes;
                 if (passes > timed) field.fail(fmt::format("at most the timed passes, {}", timed));
               });
  table.column(
      "counted_for", &Row::counted_for,
      [](const Field& field, std::uint64_t passes, const Row& row) {
        if (passes < row.counted_passes)
          field.fail(fmt::format("at least counted_passes, {}", row.counted_passes));
      },
      none_counted);
  table.column("counted_time_s", &Row::counted_time, none_counted);
  table.counts(events, "counted_passes", [](const Row& row) { return row.counted_passes; });
}

template <class Members>
void describe_region_records(Members& members,
                             In<Members, std::vector<OpenMpRegionRecord>>& records,
                             std::size_t events, const SharedTables* shared) {
  using Row = OpenMpRegionRecord;
  describe_table_if_any(members, "openmp_regions", "region", records, [&](auto& table) {
    table.column("group", &Row::group, id_in(groups_of(shared), "phase_groups", true));
    describe_region(table, static_cast<Row*>(nullptr), shared);
    table.column("passes", &Row::passes, at_least(1U));
    describe_pass_times(table, static_cast<Row*>(nullptr));
    table.column("serial_s", &Row::serial);
    table.column("smallest_team", &Row::smallest_team, at_least(1U));
    table.column("largest_team", &Row::largest_team,
                 [](const Field& field, std::uint32_t team, const Row& row) {
                   at_least(row.smallest_team)(field, team);
                 });
    describe_region_work(table);
    describe_region_counters(table, events);
    table.sorted([](const Row& row) { return std::pair(row.group, row.region); },
                 [](const Row& row) {
                   return fmt::format("group {} with region {}", row.group, row.region);
                 },
                 "each pair only once");
  });
}

/// The members "packed_regions" and "smaller_teams", in whose column `cores` is how many cores a
/// team was on.
template <class Members>
void describe_packed_records(Members& members, std::string_view name, std::string_view cores,
                             In<Members, std::vector<PackedRegionRecord>>& records,
                             const SharedTables* shared) {
  using Row = PackedRegionRecord;
  describe_table_if_any(members, name, "region", records, [&](auto& table) {
    describe_region(table, static_cast<Row*>(nullptr), shared);
    table.column("team", &Row::team, at_least(1U));
    table.column(cores, &Row::cores, at_least(1U),
                 [](const Field& field, std::uint32_t on, const Row& row) {
                   if (on >= row.team) field.fail(fmt::format("fewer than team, {}", row.team));
                 });
    table.column("packages", &Row::packages, at_least(1U),
                 [&](const Field& field, std::uint32_t packages, const Row& row) {
                   if (packages > row.cores)
                     field.fail(fmt::format("at most {}, {}", cores, row.cores));
                 });
    table.column("passes", &Row::passes, at_least(1U));
    describe_pass_times(table, static_cast<Row*>(nullptr));
    table.column("first_passes", &Row::first_passes);
    table.column("first_mean_s", &Row::first_mean);
    table.column("usual_passes", &Row::usual_passes);
    table.column("usual_mean_s", &Row::usual_mean);
    table.column("usual_variance_s2", &Row::usual_variance_s2, kNotNegative);
    if (table.any("acted_passes", [](const Row& row) { return row.acted_passes > 0; })) {
      table.column("acted_passes", &Row::acted_passes);
      table.column("acted_mean_s", &Row::acted_mean);
    }
    table.sorted(
        [](const Row& row) { return std::tuple(row.region, row.team, row.cores, row.packages); },
        [&](const Row& row) {
          return fmt::format("region {} with a team of {} on {} {} of {} packages", row.region,
                             row.team, row.cores, cores, row.packages);
        },
        "each of them only once");
  });
}

/// Sequences that a rank went through again and again, each of the ids `ids` of one period.
template <class Members, class Periods, class Ids, class Rule>
void describe_periods(Members& members, std::string_view name, Periods& periods,
                      std::string_view member, Ids ids, const Rule& is_known) {
  if (!members.present(name, !periods.empty())) return;
  members.array(name, periods, [&](auto& inner, auto& period) {
    inner.required("first", period.first);
    inner.required("passes", period.passes);
    inner.required(member, period.*ids, [&](const Field& field, const auto& known) {
      if (known.size() < 2) field.fail(fmt::format("an array of {}", known.size()), "2 or more");
      for (std::size_t i = 0; i < known.size(); ++i) is_known(field.element(i), known[i]);
    });
    inner.check("passes", [&](const Field& field) {
      const std::size_t least = (period.*ids).size();
      if (period.passes < least)
        field.fail(fmt::format("{} or more, as many as \"{}\"", least, member));
    });
    inner.check("first", [&](const Field& field) {
      if (periods.size() > 1 && periods[periods.size() - 2].first >= period.first)
        field.fail("more than that of the one before");
    });
  });
}

template <class Table, class Row>
void describe_times_at_position(Table& table, Row* /*of this*/, const SharedTables* shared) {
  describe_region(table, static_cast<Row*>(nullptr), shared);
  table.column("context", &Row::context);
  table.column("passes", &Row::passes, at_least(1U));
  table.column("mean_s", &Row::mean);
  table.column("variance_s2", &Row::variance_s2, kNotNegative);
}

template <class Members>
void describe_region_positions(Members& members, In<Members, RegionPositions>& positions,
                               const SharedTables* shared) {
  using Row = RegionPositionRecord;
  using Packed = PackedPositionRecord;
  members.required("anchor", positions.anchor, at_least(1U));
  members.required("length", positions.length, at_least(2U));
  describe_table(members, "as_started", "region", positions.as_started, [&](auto& table) {
    describe_times_at_position(table, static_cast<Row*>(nullptr), shared);
    table.column("position", &Row::position,
                 [](const Field& field, std::uint32_t position, const Row& row) {
                   if (row.context != 0) at_least(1U)(field, position);
                   if (row.context == 0 && position != 0) field.fail("0, as context is");
                 });
    table.column("group", &Row::group, id_in(groups_of(shared), "phase_groups", true));
    table.column("team", &Row::team, at_least(1U));
    table.sorted([](const Row& row) { return std::pair(row.region, row.context); },
                 [](const Row& row) {
                   return fmt::format("region {} with context {}", row.region, row.context);
                 },
                 "each pair only once");
  });
  describe_table_if_any(members, "packed", "region", positions.packed, [&](auto& table) {
    describe_times_at_position(table, static_cast<Packed*>(nullptr), shared);
    table.column("cores", &Packed::cores, at_least(1U));
    table.column("packages", &Packed::packages, at_least(1U),
                 [](const Field& field, std::uint32_t packages, const Packed& row) {
                   if (packages > row.cores)
                     field.fail(fmt::format("at most cores, {}", row.cores));
                 });
    table.column("first_passes", &Packed::first_passes);
    table.column("first_mean_s", &Packed::first_mean);
    table.sorted(
        [](const Packed& row) {
          return std::tuple(row.region, row.context, row.cores, row.packages);
        },
        [](const Packed& row) {
          return fmt::format("region {} with context {} on {} cores of {} packages", row.region,
                             row.context, row.cores, row.packages);
        },
        "each of them only once");
  });
  members.check("packed", [&](const Field& field) {
    for (const Packed& row : positions.packed)
      if (!std::ranges::binary_search(
              positions.as_started, std::pair(row.region, row.context), {},
              [](const Row& one) { return std::pair(one.region, one.context); }))
        field.fail(fmt::format("region {} with context {}", row.region, row.context),
                   "regions and contexts that are in \"as_started\"");
  });
}

}  // namespace huddle
