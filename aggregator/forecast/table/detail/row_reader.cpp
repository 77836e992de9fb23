#include "aggregator/forecast/table/detail/row_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace huddle {
namespace {

// Missing values and those that are not finite are equal problems.
bool is_worse(RowProblem problem, RowProblem than) {
  return problem > than && (problem > RowProblem::not_finite || than == RowProblem::none);
}

}  // namespace

RowReader::RowReader(const CsvHeader& header, const ColumnPlan& plan)
    : header_(header), plan_(plan), values_(plan.columns.size()), region_(plan.given_region) {}

RowProblem RowReader::read(std::string_view record) {
  std::ranges::copy(plan_.given, values_.begin());
  std::string_view rest = record;
  if (header_.separator == ' ')
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  bool more = true;
  RowProblem worst = RowProblem::none;
  std::size_t fields = 0;
  for (; fields < plan_.file.size() && more; ++fields) {
    const RowProblem problem = read_field(plan_.file[fields], rest, more);
    if (!is_worse(problem, worst)) continue;
    worst = problem;
    column_ = fields;
    text_ = cell_;
  }
  if (!is_complete(fields)) return RowProblem::too_few;
  // A separator behind the last field is common.
  if (more && !without_blanks(rest).empty()) return RowProblem::too_many;
  if (plan_.processes) {  // of CPUs that can't be dealt out evenly some do nothing
    double& threads = values_[plan_.threads];
    const double processes = values_[*plan_.processes];
    if (processes > 0 && threads >= processes) threads = std::floor(threads / processes);
  }
  return worst;
}

// The header alone may have a separator behind its last field.
bool RowReader::is_complete(std::size_t fields) const {
  return fields == plan_.file.size() ||
         (fields + 1 == plan_.file.size() && header_.names[fields].raw.empty() &&
          plan_.file[fields].use == FileColumn::Use::ignore);
}

RowProblem RowReader::read_field(const FileColumn& column, std::string_view& rest, bool& more) {
  using Use = FileColumn::Use;
  if (column.use == Use::number && read_plain_number(column, rest, more))
    return std::isfinite(values_[column.target]) ? RowProblem::none : RowProblem::not_finite;
  const std::string_view field = take_field(rest, header_.separator, more);
  if (column.use == Use::ignore) return RowProblem::none;
  cell_ = content_of(field, buffer_);
  if (column.use == Use::number) return read_number(column, cell_);
  if (column.use == Use::region) {
    region_ = cell_;
    return region_.empty() && !header_.own ? RowProblem::missing : RowProblem::none;
  }
  cell_ = why_no_run(column.test, cell_);
  return cell_.empty() ? RowProblem::none : RowProblem::no_run;
}

// The usual cell, a number and a separator, is read without looking for its end first.
bool RowReader::read_plain_number(const FileColumn& column, std::string_view& rest, bool& more) {
  if (header_.decimal_mark != '.' || header_.separator == ' ') return false;
  const char* begin = rest.data();
  const char* end = begin + rest.size();
  while (begin != end && *begin == ' ') ++begin;
  double value = 0;
  const auto [stop, failure] = std::from_chars(begin, end, value);
  if (failure != std::errc{} || (stop != end && *stop != header_.separator) ||
      !std::isfinite(value))
    return false;
  more = stop != end;
  rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()) + (more ? 1 : 0));
  values_[column.target] += column.scaled(value, column.from);
  return true;
}

RowProblem RowReader::read_number(const FileColumn& column, std::string_view cell) {
  constexpr MeasurementUnit kSeconds{Dimension::time, 1, 1};
  const CellNumber number = cell_number(cell, header_.decimal_mark);
  if (number.kind == CellKind::missing) return RowProblem::missing;
  if (number.kind == CellKind::not_finite) return RowProblem::not_finite;
  const Dimension dimension = column.to.dimension;
  if (number.kind == CellKind::text) {
    const auto seconds = dimension == Dimension::time ? duration_in(cell) : std::nullopt;
    return seconds ? add(column, column.scaled(*seconds, kSeconds)) : RowProblem::text;
  }
  const int thousands = thousands_named(number.suffix);
  if (number.suffix.empty() || number.suffix == column.unit)
    return add(column, column.scaled(number.value, column.from));
  if (column.thousand > 0 && thousands > 0)
    return add(column,
               column.scaled(number.value, column.from) * std::pow(column.thousand, thousands));
  const bool letter = dimension == Dimension::frequency && thousands > 0;
  const auto unit = unit_named(fmt::format("{}{}", number.suffix, letter ? "Hz" : ""));
  if (dimension == Dimension::none || !unit || unit->dimension != dimension)
    return RowProblem::text;
  return add(column, column.scaled(number.value, *unit));
}

RowProblem RowReader::add(const FileColumn& column, double value) {
  values_[column.target] += value;
  return std::isfinite(values_[column.target]) ? RowProblem::none : RowProblem::not_finite;
}

}  // namespace huddle
