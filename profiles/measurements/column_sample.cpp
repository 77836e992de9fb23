#include "profiles/measurements/column_sample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "profiles/measurements/cell_number.hpp"
#include "profiles/measurements/csv_record.hpp"

namespace huddle {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Not a part of a name or of a version: "3 regions", "2.1-beta".
bool is_unit_like(std::string_view suffix) {
  return suffix.size() <= 12 && suffix.find(' ') == std::string_view::npos;
}

void add_cell(ColumnSample& column, std::string_view cell, char decimal_mark,
              std::set<std::string, std::less<>>& texts) {
  const CellNumber number = cell_number(cell, decimal_mark);
  const bool is_number = number.kind == CellKind::number && is_unit_like(number.suffix);
  column.values.push_back(is_number ? number.value : kNone);
  if (is_number) {
    ++column.numbers;
    if (column.suffix.empty()) column.suffix = number.suffix;
  } else if (number.kind == CellKind::missing || number.kind == CellKind::not_finite) {
    ++column.missing;
  } else {
    const std::size_t first = cell.find_first_not_of("+-");
    if (column.texts++ == 0)
      column.begins_with_digit = first < cell.size() && cell[first] >= '0' && cell[first] <= '9';
    texts.emplace(cell);
  }
}

}  // namespace

double ColumnSample::median() const {
  std::vector<double> sizes;
  for (const double value : values)
    if (!std::isnan(value)) sizes.push_back(std::abs(value));
  if (sizes.empty()) return 0;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::ranges::nth_element(sizes, middle);
  return *middle;
}

std::vector<ColumnSample> sample_columns(const FileHeader& header) {
  std::vector<ColumnSample> columns(header.names.size());
  std::vector<std::set<std::string, std::less<>>> texts(columns.size());
  std::string buffer;
  for (const std::string& row : header.sample) {
    std::string_view rest = row;
    bool more = true;
    for (std::size_t i = 0; i < columns.size() && more; ++i)
      add_cell(columns[i], content_of(take_field(rest, header.separator, more), buffer),
               header.decimal_mark, texts[i]);
    for (ColumnSample& column : columns) column.values.resize(columns[0].values.size(), kNone);
  }
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].different_texts = texts[i].size();
  return columns;
}

bool are_proportional(const ColumnSample& left, double factor, const ColumnSample& right) {
  std::size_t both = 0;
  for (std::size_t row = 0; row < left.values.size(); ++row) {
    const double scaled = left.values[row] * factor;
    if (std::isnan(scaled) || std::isnan(right.values[row])) continue;
    if (std::abs(scaled - right.values[row]) > 1e-3 * std::abs(right.values[row])) return false;
    ++both;
  }
  return both > 0;
}

}  // namespace huddle
