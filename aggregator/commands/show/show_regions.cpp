// Where OpenMP's threads work, for people.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "aggregator/commands/show/show_sections.hpp"
#include "aggregator/render/table.hpp"

namespace huddle::cli {

std::string regions_text(const render::RunSummary& summary, const PlaceNames& names) {
  if (summary.openmp_regions.empty()) return {};
  constexpr std::size_t kMostRows = 12;
  using enum render::Table::Align;
  const bool knows_work = std::ranges::any_of(
      summary.openmp_regions,
      [](const render::OpenMpRegionSummary& region) { return region.observed_passes > 0; });
  const bool knows_ipc = std::ranges::any_of(
      summary.openmp_regions,
      [](const render::OpenMpRegionSummary& region) { return region.ipc.has_value(); });
  const bool knows_misses = std::ranges::any_of(
      summary.openmp_regions,
      [](const render::OpenMpRegionSummary& region) { return region.misses_per_s.has_value(); });
  std::vector<render::Table::Column> columns = {{"OpenMP region", kLeft},
                                                {"passes"},
                                                {"ranks"},
                                                {"threads"},
                                                {"mean s"},
                                                {"longest s"},
                                                {"on rank"},
                                                {"alone before s"}};
  if (knows_work) columns.insert(columns.end(), {{"busy %"}, {"busiest %"}});
  if (knows_ipc) columns.emplace_back("IPC");
  if (knows_misses) columns.emplace_back("M misses/s");
  render::Table table(std::move(columns));
  bool has_estimates = false;
  const std::size_t rows = std::min(kMostRows, summary.openmp_regions.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const render::OpenMpRegionSummary& region = summary.openmp_regions[i];
    const bool is_estimate = region.timed_passes < region.passes;
    has_estimates = has_estimates || is_estimate;
    const auto seconds = [&](Seconds time) {
      return fmt::format("{}{:.4f}", is_estimate ? "~" : "", time.value);
    };
    const std::string threads =
        region.smallest_team == region.largest_team
            ? std::to_string(region.largest_team)
            : fmt::format("{}-{}", region.smallest_team, region.largest_team);
    std::vector<std::string> row = {printable(names.named_region(region.region.place)),
                                    std::to_string(region.passes),
                                    std::to_string(region.time.ranks()),
                                    threads,
                                    seconds(region.time.mean()),
                                    seconds(region.time.longest()),
                                    std::to_string(region.time.slowest().value),
                                    seconds(region.serial.mean())};
    if (knows_work)
      for (const double share : {region.busy_share, region.busiest_share})
        row.push_back(region.observed_passes > 0 ? fmt::format("{:.0f}", 100 * share) : "");
    if (knows_ipc) row.push_back(region.ipc ? fmt::format("{:.2f}", *region.ipc) : "");
    if (knows_misses)
      row.push_back(region.misses_per_s ? fmt::format("{:.3g}", *region.misses_per_s / 1e6) : "");
    table.add(std::move(row));
  }
  std::string text = "\n" + table.text();
  if (summary.openmp_regions.size() > rows)
    text +=
        fmt::format("... and {} regions more, see --json\n", summary.openmp_regions.size() - rows);
  if (has_estimates) text += "~: estimated, since short passes were counted but not all timed\n";
  if (knows_work)
    text += "busy, busiest: of a pass, how long a thread works, and the busiest of its team\n";
  if (knows_ipc || knows_misses)
    text += "IPC, misses: as the counters say in some of the passes, of all threads of a rank\n";
  return text;
}

// The choice of the run itself, and what came of it.
std::string acted_text(const render::RunSummary& summary, const PlaceNames& names) {
  constexpr std::size_t kMostRows = 12;
  using enum render::Table::Align;
  render::Table table({{"chosen in this run", kLeft},
                       {"threads"},
                       {"cores"},
                       {"passes"},
                       {"ranks"},
                       {"ms a pass"},
                       {"as tried"},
                       {"usually"},
                       {"longer %"}});
  std::size_t rows = 0;
  for (const render::PackedRegionSummary& packed : summary.packed_regions) {
    if (packed.acted_passes == 0 || ++rows > kMostRows) continue;
    const double longer = 100 * (packed.acted_mean / packed.usual_mean - 1);
    table.add({printable(names.named_region(packed.region.place)), std::to_string(packed.team),
               std::to_string(packed.cores), std::to_string(packed.acted_passes),
               std::to_string(packed.acting_ranks),
               fmt::format("{:.4g}", packed.acted_mean.value * 1e3),
               fmt::format("{:.4g}", packed.mean.value * 1e3),
               fmt::format("{:.4g}", packed.usual_mean.value * 1e3),
               packed.usual_mean.value > 0 ? fmt::format("{:+.1f}", longer) : ""});
  }
  if (rows == 0) return {};
  std::string text = "\n" + table.text();
  if (rows > kMostRows) text += fmt::format("... and {} more, see --json\n", rows - kMostRows);
  return text;
}

std::string packed_text(const render::RunSummary& summary, const PlaceNames& names) {
  if (summary.packed_regions.empty()) return {};
  constexpr std::size_t kMostRows = 12;
  using enum render::Table::Align;
  render::Table table({{"on fewer cores", kLeft},
                       {"threads"},
                       {"cores"},
                       {"passes"},
                       {"ranks"},
                       {"ms a pass"},
                       {"usually"},
                       {"longer %"}});
  const std::size_t rows = std::min(kMostRows, summary.packed_regions.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const render::PackedRegionSummary& packed = summary.packed_regions[i];
    const double longer = 100 * (packed.mean / packed.usual_mean - 1);
    table.add({printable(names.named_region(packed.region.place)), std::to_string(packed.team),
               std::to_string(packed.cores), std::to_string(packed.passes),
               std::to_string(packed.ranks), fmt::format("{:.4g}", packed.mean.value * 1e3),
               fmt::format("{:.4g}", packed.usual_mean.value * 1e3),
               packed.usual_mean.value > 0 ? fmt::format("{:+.1f}", longer) : ""});
  }
  std::string text = "\n" + table.text();
  if (summary.packed_regions.size() > rows)
    text += fmt::format("... and {} more, see --json\n", summary.packed_regions.size() - rows);
  return text + acted_text(summary, names);
}

// A line for each length; --json has the groups.
std::string periods_text(const render::RunSummary& summary, std::uint32_t ranks) {
  std::string text;
  for (const render::PeriodSummary& period : summary.periods) {
    const std::set<std::uint64_t> groups(period.groups.begin(), period.groups.end());
    text += fmt::format("{}phases come again after {} passes, of {} phase {}, on {} of {} ranks\n",
                        text.empty() ? "\n" : "", period.length, groups.size(),
                        groups.size() == 1 ? "group" : "groups", period.ranks, ranks);
  }
  for (const render::RegionPeriodSummary& period : summary.region_periods) {
    const std::set<std::uint64_t> regions(period.regions.begin(), period.regions.end());
    text += fmt::format("{}regions come again after {} passes, of {} {}, on {} of {} ranks\n",
                        text.empty() ? "\n" : "", period.length, regions.size(),
                        regions.size() == 1 ? "region" : "regions", period.ranks, ranks);
  }
  return text;
}

}  // namespace huddle::cli
