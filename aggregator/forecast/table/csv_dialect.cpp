#include "aggregator/forecast/table/csv_dialect.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "aggregator/forecast/table/cell_number.hpp"
#include "aggregator/forecast/table/csv_record.hpp"

namespace huddle {
namespace {

constexpr std::array<char, 5> kSeparators = {'\t', ';', ',', '|', ' '};

}  // namespace

char find_separator(std::string_view header, std::span<const std::string> rows) {
  char best = 0;
  std::ptrdiff_t most = -1;
  for (const char separator : kSeparators) {
    const std::size_t fields = fields_of(header, separator).size();
    if (fields < 2) continue;
    const auto fitting = std::ranges::count_if(
        rows, [&](const std::string& row) { return fields_of(row, separator).size() == fields; });
    if (fitting <= most) continue;
    best = separator;
    most = fitting;
  }
  return best == 0 ? ',' : best;
}

char find_decimal_mark(std::span<const std::string> rows, char separator) {
  if (separator == ',') return '.';
  bool comma = false;
  std::string buffer;
  for (const std::string& row : rows)
    for (const std::string_view field : fields_of(row, separator)) {
      const std::string_view cell = content_of(field, buffer);
      if (cell.find('.') != std::string_view::npos &&
          cell_number(cell, '.').kind == CellKind::number)
        return '.';
      comma = comma || (cell.find(',') != std::string_view::npos &&
                        cell_number(cell, ',').kind == CellKind::number);
    }
  return comma ? ',' : '.';
}

}  // namespace huddle
