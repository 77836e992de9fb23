#include "aggregator/forecast/table/detail/row_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace huddle {
namespace {

// Missing values and those that are not finite are equal problems.
bool is_worse(RowProblem problem, RowProblem than) {
  return problem > than && (problem > RowProblem::not_finite || than == RowProblem::none);
}

// What stands behind a number: nothing if it is no unit of that dimension.
std::optional<MeasurementUnit> unit_behind(std::string_view suffix, Dimension dimension) {
  if (dimension == Dimension::none) return std::nullopt;
  const bool letter = dimension == Dimension::frequency && thousands_named(suffix) > 0;
  const auto unit = unit_named(letter ? std::string(suffix) + "Hz" : std::string(suffix));
  return unit && unit->dimension == dimension ? unit : std::nullopt;
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
  for (; fields < plan_.fields.size() && more; ++fields) {
    const RowProblem problem = read_field(plan_.fields[fields], rest, more);
    if (!is_worse(problem, worst)) continue;
    worst = problem;
    column_ = fields;
    text_ = cell_;
  }
  if (!is_complete(fields)) return RowProblem::too_few;
  // A separator behind the last field is common.
  if (more && !is_blank_record(rest)) return RowProblem::too_many;
  if (plan_.processes) {  // of CPUs that can't be dealt out evenly some do nothing
    double& threads = values_[plan_.threads];
    const double processes = values_[*plan_.processes];
    if (processes > 0 && threads >= processes) threads = std::floor(threads / processes);
  }
  return worst;
}

// The header alone may have a separator behind its last field.
bool RowReader::is_complete(std::size_t fields) const {
  return fields == plan_.fields.size() ||
         (fields + 1 == plan_.fields.size() && header_.names[fields].raw.empty() &&
          plan_.fields[fields].use == PlannedField::Use::ignore);
}

RowProblem RowReader::read_field(const PlannedField& field, std::string_view& rest, bool& more) {
  if (field.use == PlannedField::Use::number) return read_number(field, rest, more);
  const std::string_view as_it_stands = take_field(rest, header_.separator, more);
  if (field.use == PlannedField::Use::ignore) return RowProblem::none;
  const std::string_view cell = content_of(as_it_stands, buffer_);
  if (field.use == PlannedField::Use::region) {
    region_ = cell;
    return region_.empty() && !header_.own ? RowProblem::missing : RowProblem::none;
  }
  cell_ = why_no_run(field.test, cell);
  return cell_.empty() ? RowProblem::none : RowProblem::no_run;
}

// The usual cell, a number and a separator, is read without looking for its end first.
RowProblem RowReader::read_number(const PlannedField& field, std::string_view& rest, bool& more) {
  if (header_.decimal_mark == '.' && header_.separator != ' ') {
    const char* begin = rest.data();
    const char* end = begin + rest.size();
    while (begin != end && *begin == ' ') ++begin;
    double value = 0;
    const auto [stop, failure] = std::from_chars(begin, end, value);
    if (failure == std::errc{} && (stop == end || *stop == header_.separator) &&
        std::isfinite(value)) {
      more = stop != end;
      rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()) + (more ? 1 : 0));
      return add(field, field.scaled(value));
    }
  }
  cell_ = content_of(take_field(rest, header_.separator, more), buffer_);
  return read_cell(field, cell_);
}

RowProblem RowReader::read_cell(const PlannedField& field, std::string_view cell) {
  const CellNumber number = cell_number(cell, header_.decimal_mark);
  if (number.kind == CellKind::missing) return RowProblem::missing;
  if (number.kind == CellKind::not_finite) return RowProblem::not_finite;
  const Dimension dimension = field.column_unit.dimension;
  if (number.kind == CellKind::text) {
    const auto seconds = dimension == Dimension::time ? duration_in(cell) : std::nullopt;
    return seconds ? add(field, *seconds / field.column_unit.in_base(1)) : RowProblem::text;
  }
  if (number.suffix.empty() || number.suffix == field.unit_text)
    return add(field, field.scaled(number.value));
  if (const int thousands = field.thousand > 0 ? thousands_named(number.suffix) : 0; thousands > 0)
    return add(field, field.scaled(number.value) * std::pow(field.thousand, thousands));
  const auto unit = unit_behind(number.suffix, dimension);
  return unit ? add(field, unit->in_base(number.value) / field.column_unit.in_base(1))
              : RowProblem::text;
}

RowProblem RowReader::add(const PlannedField& field, double value) {
  values_[field.column] += value;
  return std::isfinite(values_[field.column]) ? RowProblem::none : RowProblem::not_finite;
}

}  // namespace huddle
