// Where OpenMP's threads work, for people.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "aggregator/commands/show/show_sections.hpp"
#include "aggregator/render/table.hpp"

namespace huddle {

std::string regions_text(const RunSummary& summary, const PlaceNames& names) {
  if (summary.openmp_regions.empty()) return {};
  constexpr std::size_t kMostRows = 12;
  using enum Table::Align;
  Table table({{"OpenMP region", kLeft},
               {"passes"},
               {"ranks"},
               {"threads"},
               {"mean s"},
               {"longest s"},
               {"on rank"},
               {"alone before s"}});
  const auto seconds = [](Seconds time) { return fmt::format("{:.4f}", time.value); };
  const std::size_t rows = std::min(kMostRows, summary.openmp_regions.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const OpenMpRegionSummary& region = summary.openmp_regions[i];
    const std::string threads =
        region.smallest_team == region.largest_team
            ? std::to_string(region.largest_team)
            : fmt::format("{}-{}", region.smallest_team, region.largest_team);
    table.add({printable(names.named_region(region.region.place)), std::to_string(region.passes),
               std::to_string(region.time.ranks()), threads, seconds(region.time.mean()),
               seconds(region.time.longest()), std::to_string(region.time.slowest().value),
               seconds(region.serial.mean())});
  }
  std::string text = "\n" + table.text();
  if (summary.openmp_regions.size() > rows)
    text +=
        fmt::format("... and {} regions more, see --json\n", summary.openmp_regions.size() - rows);
  return text;
}

}  // namespace huddle
