#include <fmt/format.h>

#include <algorithm>

#include "profiles/measurements/role_choice.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// By how large they are: cores run at 0.1 to 10 GHz.
std::string_view likely_frequency_unit(double median) {
  if (median < 50) return "GHz";
  if (median < 5e4) return "MHz";
  return median < 5e7 ? "kHz" : "Hz";
}

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

}  // namespace

ColumnUnit unit_of(const FileHeader& header, const ColumnSample& sample, std::size_t column,
                   Dimension dimension, const MeasurementCsvOptions& options) {
  const HeaderName& name = header.names[column];
  const std::string* given = unit_in_options(header, column, options);
  const std::string text = given != nullptr    ? *given
                           : name.unit.empty() ? sample.suffix
                                               : name.unit;
  if (dimension == Dimension::none)
    return {unit_named(text).value_or(MeasurementUnit{}), text, false};
  if (given != nullptr && !unit_of_dimension(text, dimension))
    throw UsageError(fmt::format("\"{}\" as the unit of \"{}\" in {}: expected {}", text, name.raw,
                                 header.file, units_of(dimension)));
  if (!text.empty()) return {unit_of_dimension(text, dimension), text, false};
  const std::string_view likely = likely_unit(header, sample, dimension);
  return {unit_named(likely), std::string(likely), true};
}

}  // namespace huddle
