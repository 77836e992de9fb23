#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aggregator/forecast/table/detail/column_names.hpp"
#include "aggregator/forecast/table/measurement_csv.hpp"
#include "profiles/files/atomic_file.hpp"

namespace huddle::forecast {
namespace {

std::string field_of(std::string_view text) {
  if (!text.empty() && text.find_first_of(",\"\n\r#\t") == std::string_view::npos &&
      text.front() != ' ' && text.back() != ' ')
    return std::string(text);
  std::string quotes = "\"";
  for (const char c : text) {
    quotes += c;
    if (c == '"') quotes += c;
  }
  return quotes + '"';
}

std::string header_of(const MeasuredColumn& column) {
  if (column.role != ColumnRole::variable) return std::string(own_name_of(column.role));
  const bool plain = column.unit.empty() && !column.name.ends_with(']');
  return field_of(plain ? column.name : fmt::format("{} [{}]", column.name, column.unit));
}

// A file without regions has no column of them.
bool has_regions(const MeasurementTable& table) {
  return table.regions.size() > 1 || (table.regions.size() == 1 && !table.regions[0].empty());
}

std::string header_lines(const MeasurementTable& table, const std::vector<std::string>& notes) {
  std::string text = fmt::format("{}\n", kOwnRowsMark);
  for (const std::string& note : notes) text += fmt::format("# {}\n", note);
  std::vector<std::string> names;
  if (has_regions(table)) names.emplace_back(kOwnRegionName);
  for (const MeasuredColumn& column : table.columns) names.push_back(header_of(column));
  return fmt::format("{}{}\n", text, fmt::join(names, ","));
}

void append_row(std::string& text, const MeasurementTable& table, std::size_t row) {
  std::string_view separator;
  if (has_regions(table)) {
    text += field_of(table.regions[table.region[row]]);
    separator = ",";
  }
  for (const MeasuredColumn& column : table.columns)
    fmt::format_to(std::back_inserter(text), "{}{}", std::exchange(separator, ","),
                   column.values[row]);
  text += '\n';
}

}  // namespace

std::string format_measurements(const MeasurementTable& table) {
  std::string text = header_lines(table, {});
  for (std::size_t row = 0; row < table.rows(); ++row) append_row(text, table, row);
  return text;
}

void write_measurements(const MeasurementTable& table, const std::filesystem::path& file,
                        const std::vector<std::string>& notes) {
  constexpr std::size_t kBlock = std::size_t{1} << 20U;
  files::AtomicFile out(file);
  std::string text = header_lines(table, notes);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    append_row(text, table, row);
    if (text.size() < kBlock) continue;
    out.write(text);
    text.clear();
  }
  out.write(text);
  out.commit();
}

}  // namespace huddle::forecast
