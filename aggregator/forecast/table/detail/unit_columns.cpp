#include "aggregator/forecast/table/detail/unit_columns.hpp"

#include <array>
#include <string>

#include "profiles/import/column_words.hpp"

namespace huddle::forecast {
namespace {

// Names of columns of units without "unit" at their ends, by dimension.
constexpr std::array<std::string_view, 5> kStems = {
    "", "time realtime walltime runtime duration elapsed", "energy", "frequency freq clock",
    "power"};

// The letters before "unit" or "units" at the end of a name; none if it ends otherwise.
std::optional<std::string> stem_of(std::string_view name) {
  std::string letters = imports::letters_of(name);
  for (const std::string_view end : {"units", "unit"})
    if (letters.ends_with(end)) {
      letters.resize(letters.size() - end.size());
      return letters;
    }
  return std::nullopt;
}

// A column "unit" may be of something else, such as a department.
bool may_be_unit_of(Dimension dimension, std::string_view cell) {
  const auto unit = unit_in_cell(cell);
  return unit ? unit->dimension == dimension : cell.find('/') != std::string_view::npos;
}

}  // namespace

std::optional<MeasurementUnit> unit_in_cell(std::string_view cell) {
  return unit_named(cell.substr(0, cell.find('/')));
}

std::optional<std::size_t> unit_column_of(const CsvHeader& header, std::size_t column,
                                          Dimension dimension) {
  const std::string own = imports::letters_of(header.names[column].raw);
  std::optional<std::size_t> of_dimension;
  std::optional<std::size_t> of_all;
  for (std::size_t i = 0; i < header.names.size(); ++i) {
    const auto stem = stem_of(header.names[i].raw);
    if (i == column || !stem || cell_number(header.first_row[i]).kind == CellKind::number) continue;
    if (!stem->empty() && *stem == own) return i;
    if (imports::has_word(kStems[static_cast<std::size_t>(dimension)], *stem))
      of_dimension = i;
    else if (stem->empty() && may_be_unit_of(dimension, header.first_row[i]))
      of_all = i;
  }
  return of_dimension ? of_dimension : of_all;
}

}  // namespace huddle::forecast
