#include <fmt/format.h>

#include <algorithm>

#include "aggregator/forecast/table/detail/columns.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

using Columns = std::vector<FileColumn>;

void look_at(FileColumn& column, std::string_view cell, char decimal_mark) {
  const CellNumber number = cell_number(cell, decimal_mark);
  const std::string_view behind = number.suffix;
  if (number.kind == CellKind::missing || number.kind == CellKind::not_finite) {
    ++column.missing;
  } else if (number.kind == CellKind::number &&
             (behind.empty() || behind == "%" || thousands_named(behind) || unit_named(behind))) {
    ++column.numbers;
    if (column.suffix.empty()) column.suffix = behind;
  } else if (duration_in(cell)) {
    ++column.durations;
  } else if (column.texts++ == 0) {
    const std::size_t first = cell.find_first_not_of("+-");
    column.begins_with_digit = first < cell.size() && cell[first] >= '0' && cell[first] <= '9';
  }
}

void ask_the_tool(const CsvHeader& header, ToolTable& tool, Columns& columns) {
  std::vector<std::string> names;
  for (const HeaderName& name : header.names) names.push_back(name.raw);
  tool = recognise_tool_table(names, header.first_rows);
  for (const ToolTable::Column& known : tool.columns) {
    FileColumn& column = columns[known.column];
    column.why_ignored = known.why_ignored;
    if (column.unit.empty()) column.unit = known.unit;
    if (const auto role = std::ranges::find(kRoles, known.role, name_of); role != kRoles.end())
      column.meaning = {ColumnMeaning::role, *role, kToolTier};
  }
}

void ask_unit(FileColumn& column, const std::string& unit) {
  column.unit = unit;
  column.asked_unit = true;
}

// "NAME" or "NAME:UNIT", where a name may hold a colon.
FileColumn& column_with_unit(const CsvHeader& header, const std::string& text, Columns& columns) {
  if (const auto whole = header.find(text)) return columns[*whole];
  const std::size_t colon = text.rfind(':');
  const auto column =
      colon == std::string::npos ? std::nullopt : header.find(text.substr(0, colon));
  if (!column) return columns[header.named(text)];
  ask_unit(columns[*column], text.substr(colon + 1));
  return columns[*column];
}

void take_options(const CsvHeader& header, const MeasurementCsvOptions& options, Columns& columns) {
  for (const auto& [name, unit] : options.units) ask_unit(columns[header.named(name)], unit);
  for (const std::string& name : options.variables) columns[header.named(name)].wanted = true;
  for (const auto& [role, texts] : options.columns) {
    const auto known = std::ranges::find(kRoles, role, name_of);
    if (known == kRoles.end() && role != "region")
      throw UsageError(fmt::format(
          "\"{}\" is not what a column can hold: expected region, size, "
          "processes, threads, frequency, nodes, ranks_per_node, packages, time or energy",
          role));
    if (texts.empty() || (role != "energy" && texts.size() > 1))
      throw UsageError(fmt::format("{} columns for {}: expected one", texts.size(), role));
    for (const std::string& text : texts) {
      FileColumn& column = column_with_unit(header, text, columns);
      if (column.meaning.tier == kAskedTier)
        throw UsageError(
            fmt::format("the column \"{}\" is named for two things",
                        header.names[static_cast<std::size_t>(&column - columns.data())].raw));
      column.why_ignored.clear();
      column.meaning = {ColumnMeaning::region, ColumnRole::variable, kAskedTier};
      if (known != kRoles.end()) column.meaning = {ColumnMeaning::role, *known, kAskedTier};
    }
  }
}

// "2.4G" is a frequency in GHz, "12.5K" a large number.
void take_unit_of_cells(FileColumn& column) {
  if (thousands_named(column.suffix) == 0)
    column.unit = column.suffix;
  else if (column.meaning.role == ColumnRole::frequency)
    column.unit = column.suffix + "Hz";
}

}  // namespace

std::optional<MeasurementUnit> FileColumn::unit_as(Dimension dimension) const {
  const auto known = unit_named(unit.empty() ? base_unit_of(dimension) : unit);
  return known && known->dimension == dimension ? known : std::nullopt;
}

std::vector<FileColumn> read_columns(const CsvHeader& header, const MeasurementCsvOptions& options,
                                     ToolTable& tool) {
  Columns columns(header.names.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i].meaning =
        header.own ? own_meaning_of(header.names[i].raw) : meaning_of(header.names[i]);
    columns[i].unit = header.names[i].unit;
    for (const std::vector<std::string>& row : header.first_rows)
      if (i < row.size()) look_at(columns[i], row[i], header.decimal_mark);
  }
  if (!header.own) ask_the_tool(header, tool, columns);
  take_options(header, options, columns);
  for (FileColumn& column : columns) {
    if (column.unit.empty() && !header.own) take_unit_of_cells(column);
    // "time [cycles]" is no time.
    const Dimension dimension = dimension_of(column.meaning.role);
    if (dimension != Dimension::none && column.meaning.tier != kAskedTier && !column.asked_unit &&
        !column.unit_as(dimension))
      column.meaning = {};
  }
  return columns;
}

}  // namespace huddle
