#include "aggregator/forecast/table/measurement_units.hpp"

#include <algorithm>
#include <array>

#include "aggregator/forecast/table/column_names.hpp"

namespace huddle {
namespace {

struct NamedUnit {
  std::string_view name;
  MeasurementUnit unit;
};

constexpr Dimension kTime = Dimension::time;
constexpr Dimension kEnergy = Dimension::energy;
constexpr Dimension kFrequency = Dimension::frequency;
constexpr Dimension kPower = Dimension::power;

// Where only the case tells two apart, the one that small letters mean comes first.
constexpr auto kUnits = std::to_array<NamedUnit>({
    {"s", {kTime, 1, 1}},
    {"sec", {kTime, 1, 1}},
    {"secs", {kTime, 1, 1}},
    {"second", {kTime, 1, 1}},
    {"seconds", {kTime, 1, 1}},
    {"ms", {kTime, 1, 1e3}},
    {"msec", {kTime, 1, 1e3}},
    {"msecs", {kTime, 1, 1e3}},
    {"millisecond", {kTime, 1, 1e3}},
    {"milliseconds", {kTime, 1, 1e3}},
    {"us", {kTime, 1, 1e6}},
    {"\u00b5s", {kTime, 1, 1e6}},  // micro sign
    {"\u03bcs", {kTime, 1, 1e6}},  // Greek mu
    {"usec", {kTime, 1, 1e6}},
    {"usecs", {kTime, 1, 1e6}},
    {"microsecond", {kTime, 1, 1e6}},
    {"microseconds", {kTime, 1, 1e6}},
    {"ns", {kTime, 1, 1e9}},
    {"nsec", {kTime, 1, 1e9}},
    {"nanosecond", {kTime, 1, 1e9}},
    {"nanoseconds", {kTime, 1, 1e9}},
    {"min", {kTime, 60, 1}},
    {"minute", {kTime, 60, 1}},
    {"minutes", {kTime, 60, 1}},
    {"h", {kTime, 3600, 1}},
    {"hour", {kTime, 3600, 1}},
    {"hours", {kTime, 3600, 1}},
    {"J", {kEnergy, 1, 1}},
    {"joule", {kEnergy, 1, 1}},
    {"joules", {kEnergy, 1, 1}},
    {"Ws", {kEnergy, 1, 1}},
    {"mJ", {kEnergy, 1, 1e3}},
    {"MJ", {kEnergy, 1e6, 1}},
    {"uJ", {kEnergy, 1, 1e6}},
    {"\u00b5J", {kEnergy, 1, 1e6}},
    {"\u03bcJ", {kEnergy, 1, 1e6}},
    {"nJ", {kEnergy, 1, 1e9}},
    {"kJ", {kEnergy, 1e3, 1}},
    {"mWh", {kEnergy, 3.6, 1}},
    {"MWh", {kEnergy, 3.6e9, 1}},
    {"Wh", {kEnergy, 3600, 1}},
    {"kWh", {kEnergy, 3.6e6, 1}},
    {"GHz", {kFrequency, 1, 1}},
    {"MHz", {kFrequency, 1, 1e3}},
    {"kHz", {kFrequency, 1, 1e6}},
    {"Hz", {kFrequency, 1, 1e9}},
    {"W", {kPower, 1, 1}},
    {"watt", {kPower, 1, 1}},
    {"watts", {kPower, 1, 1}},
    {"mW", {kPower, 1, 1e3}},
    {"MW", {kPower, 1e6, 1}},
    {"kW", {kPower, 1e3, 1}},
});

}  // namespace

std::optional<MeasurementUnit> unit_named(std::string_view text) {
  const auto exact = std::ranges::find(kUnits, text, &NamedUnit::name);
  if (exact != kUnits.end()) return exact->unit;
  for (const NamedUnit& known : kUnits)
    if (equal_letters(known.name, text)) return known.unit;
  return std::nullopt;
}

int thousands_named(std::string_view suffix) {
  constexpr std::string_view kLetters = "KMGTP";
  if (suffix.size() != 1) return 0;
  const std::size_t found = kLetters.find(suffix == "k" ? 'K' : suffix[0]);
  return found == std::string_view::npos ? 0 : static_cast<int>(found) + 1;
}

std::string_view likely_frequency_unit(double number) {
  if (number < 50) return "GHz";
  if (number < 5e4) return "MHz";
  return number < 5e7 ? "kHz" : "Hz";
}

Dimension dimension_of(ColumnRole role) {
  switch (role) {
    case ColumnRole::frequency:
      return Dimension::frequency;
    case ColumnRole::time:
      return Dimension::time;
    case ColumnRole::energy:
      return Dimension::energy;
    default:
      return Dimension::none;
  }
}

std::string_view base_unit_of(Dimension dimension) {
  constexpr std::array<std::string_view, 5> kNames = {"", "s", "J", "GHz", "W"};
  return kNames[static_cast<std::size_t>(dimension)];
}

std::string_view units_of(Dimension dimension) {
  constexpr std::array<std::string_view, 5> kNames = {"none", "s, ms, us, ns, min or h",
                                                      "J, kJ, MJ, mJ, uJ, Wh or kWh",
                                                      "GHz, MHz, kHz or Hz", "W, kW or mW"};
  return kNames[static_cast<std::size_t>(dimension)];
}

}  // namespace huddle
