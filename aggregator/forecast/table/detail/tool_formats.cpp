#include "aggregator/forecast/table/detail/tool_formats.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace huddle::forecast {
namespace {

struct FixedUnit {
  std::string_view column;
  std::string_view unit;
};

// Columns of sacct and of CodeCarbon are few enough, and rare enough elsewhere, to be written out.
constexpr std::array<FixedUnit, 2> kOfSlurm = {{{"ConsumedEnergyRaw", "J"}, {"ElapsedRaw", "s"}}};
constexpr std::array<FixedUnit, 8> kOfCodeCarbon = {{{"duration", "s"},
                                                     {"cpu_power", "W"},
                                                     {"gpu_power", "W"},
                                                     {"ram_power", "W"},
                                                     {"cpu_energy", "kWh"},
                                                     {"gpu_energy", "kWh"},
                                                     {"ram_energy", "kWh"},
                                                     {"energy_consumed", "kWh"}}};
constexpr std::array<std::string_view, 4> kMarksOfCodeCarbon = {"emissions", "emissions_rate",
                                                                "energy_consumed", "duration"};

HeaderName* named(std::vector<HeaderName>& names, std::string_view raw) {
  const auto found = std::ranges::find(names, raw, &HeaderName::raw);
  return found == names.end() ? nullptr : &*found;
}

template <std::size_t kSize>
void add_units(std::vector<HeaderName>& names, const std::array<FixedUnit, kSize>& units) {
  for (const FixedUnit& fixed : units)
    if (HeaderName* name = named(names, fixed.column); name != nullptr && name->unit.empty())
      name->unit = std::string(fixed.unit);
}

}  // namespace

std::vector<std::string> add_facts_of_tool(std::vector<HeaderName>& names) {
  add_units(names, kOfSlurm);
  if (!std::ranges::all_of(kMarksOfCodeCarbon,
                           [&](std::string_view mark) { return named(names, mark) != nullptr; }))
    return {};
  add_units(names, kOfCodeCarbon);
  if (HeaderName* place = named(names, "region"); place != nullptr)
    place->why_no_role = "the place of the computer";
  return {"The columns are CodeCarbon's: its energies are in kWh, its duration is in s."};
}

}  // namespace huddle::forecast
