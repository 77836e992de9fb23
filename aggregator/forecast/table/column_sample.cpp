#include "aggregator/forecast/table/column_sample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "aggregator/forecast/table/cell_duration.hpp"
#include "aggregator/forecast/table/cell_number.hpp"
#include "aggregator/forecast/table/csv_record.hpp"

namespace huddle {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Not a part of a name, a version or a product: "3 regions", "2.1-beta", "64x64".
bool is_unit_like(std::string_view suffix) {
  return suffix.size() <= 12 && suffix.find_first_of(" 0123456789") == std::string_view::npos;
}

using Texts = std::set<std::string, std::less<>>;

void add_cell(ColumnSample& column, std::string_view cell, char decimal_mark, Texts& texts,
              Texts& suffixes) {
  const CellNumber number = cell_number(cell, decimal_mark);
  const bool is_number = number.kind == CellKind::number && is_unit_like(number.suffix);
  const std::optional<double> duration =
      number.kind == CellKind::text ? duration_in(cell) : std::nullopt;
  column.values.push_back(is_number ? number.value * std::pow(1000, thousands_named(number.suffix))
                                    : duration.value_or(kNone));
  if (is_number) {
    ++column.numbers;
    if (column.suffix.empty()) column.suffix = number.suffix;
    if (number.suffix.empty()) ++column.bare;
    suffixes.emplace(number.suffix);
  } else if (duration) {
    ++column.durations;
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
  std::vector<Texts> texts(columns.size());
  std::vector<Texts> suffixes(columns.size());
  std::string buffer;
  for (const std::string& row : header.sample) {
    std::string_view rest = row;
    bool more = true;
    for (std::size_t i = 0; i < columns.size() && more; ++i)
      add_cell(columns[i], content_of(take_field(rest, header.separator, more), buffer),
               header.decimal_mark, texts[i], suffixes[i]);
    for (ColumnSample& column : columns) column.values.resize(columns[0].values.size(), kNone);
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i].different_texts = texts[i].size();
    columns[i].odd_suffixes = suffixes[i].size() > 1 && !suffixes[i].contains("") &&
                              std::ranges::any_of(suffixes[i], [](const std::string& suffix) {
                                return thousands_named(suffix) == 0 && !unit_named(suffix);
                              });
  }
  return columns;
}

bool are_proportional(const ColumnSample& left, double factor, const ColumnSample& right) {
  const bool coarse = thousands_named(left.suffix) > 0 || thousands_named(right.suffix) > 0;
  const double tolerance = coarse ? 6e-3 : 1e-3;
  std::size_t both = 0;
  for (std::size_t row = 0; row < left.values.size(); ++row) {
    const double scaled = left.values[row] * factor;
    if (std::isnan(scaled) || std::isnan(right.values[row])) continue;
    if (std::abs(scaled - right.values[row]) > tolerance * std::abs(right.values[row]))
      return false;
    ++both;
  }
  return both > 0;
}

}  // namespace huddle
