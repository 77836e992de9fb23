#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "aggregator/forecast/table/role_choice.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

std::string_view likely_unit(const FileHeader& header, const ColumnSample& sample,
                             Dimension dimension) {
  if (dimension == Dimension::frequency) return likely_frequency_unit(sample.median());
  const bool tau = std::ranges::any_of(
      header.names, [](const HeaderName& name) { return is_tau_name(name.raw); });
  return dimension == Dimension::time && tau ? "us" : base_unit_of(dimension);
}

std::optional<MeasurementUnit> unit_of_dimension(std::string_view text, Dimension dimension) {
  const auto unit = unit_named(text);
  return unit && unit->dimension == dimension ? unit : std::nullopt;
}

const std::string* unit_in_options(const FileHeader& header, std::size_t column,
                                   const MeasurementCsvOptions& options) {
  const auto found = std::ranges::find_if(options.units, [&](const auto& given) {
    return named_column(header, given.first) == column;
  });
  return found == options.units.end() ? nullptr : &found->second;
}

// Of what stands behind the numbers: "2.4G" is a frequency in GHz, "12.5K" is a large number.
std::string unit_in_cells(const ColumnSample& sample, Dimension dimension) {
  if (thousands_named(sample.suffix) == 0) return sample.suffix;
  return dimension == Dimension::frequency ? sample.suffix + "Hz" : std::string{};
}

}  // namespace

ColumnUnit unit_of(const FileHeader& header, const ColumnSample& sample, std::size_t column,
                   Dimension dimension, const MeasurementCsvOptions& options) {
  const HeaderName& name = header.names[column];
  const std::string* given = unit_in_options(header, column, options);
  const std::string text = given != nullptr    ? *given
                           : name.unit.empty() ? unit_in_cells(sample, dimension)
                                               : name.unit;
  const bool durations = sample.durations > 0 && sample.numbers == 0;
  if (dimension == Dimension::none) {
    const std::optional<MeasurementUnit> unit = unit_named(text);
    // What stands behind one number among plain ones is a slip, and no unit that nobody knows.
    const bool slip = given == nullptr && name.unit.empty() && sample.bare > 0 && !unit;
    return {unit.value_or(MeasurementUnit{}), slip ? std::string() : text, false};
  }
  if (given != nullptr && !unit_of_dimension(text, dimension))
    throw UsageError(fmt::format("\"{}\" as the unit of \"{}\" in {}: expected {}", text, name.raw,
                                 header.file, units_of(dimension)));
  if (!text.empty()) return {unit_of_dimension(text, dimension), text, false};
  const std::string_view likely = likely_unit(header, sample, dimension);
  return {unit_named(likely), std::string(likely), !durations || dimension != Dimension::time};
}

}  // namespace huddle
