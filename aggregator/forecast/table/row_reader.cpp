#include "aggregator/forecast/table/row_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "aggregator/forecast/table/cell_duration.hpp"
#include "aggregator/forecast/table/cell_number.hpp"
#include "aggregator/forecast/table/csv_record.hpp"

namespace huddle {
namespace {

// Of several problems of a row the one of the largest weight is told; of equal ones the first.
int weight_of(RowProblem problem) {
  switch (problem) {
    case RowProblem::none:
      return 0;
    case RowProblem::text:
      return 2;
    case RowProblem::no_run:
      return 3;
    default:
      return 1;
  }
}

// Of what stands behind a number: nothing if it is no unit of that dimension.
std::optional<MeasurementUnit> unit_behind(std::string_view suffix, Dimension dimension) {
  if (dimension == Dimension::none) return std::nullopt;
  const bool letter = dimension == Dimension::frequency && thousands_named(suffix) > 0;
  const auto unit = unit_named(letter ? std::string(suffix) + "Hz" : std::string(suffix));
  return unit && unit->dimension == dimension ? unit : std::nullopt;
}

}  // namespace

RowReader::RowReader(const FileHeader& header, const ColumnPlan& plan)
    : header_(header), plan_(plan), values_(plan.columns.size()), region_(plan.given_region) {}

RowProblem RowReader::read(std::string_view record) {
  std::ranges::copy(plan_.given, values_.begin());
  std::string_view rest = record;
  if (header_.separator == ' ')
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) rest.remove_prefix(1);
  bool more = true;
  text_.clear();
  reason_ = {};
  RowProblem first = RowProblem::none;
  std::size_t first_column = 0;
  for (column_ = 0; column_ < plan_.fields.size(); ++column_) {
    if (!more) break;
    const RowProblem problem = read_field(plan_.fields[column_], rest, more);
    if (weight_of(problem) <= weight_of(first)) continue;
    first = problem;
    first_column = column_;
  }
  const RowProblem end = check_end(rest, more);
  if (end != RowProblem::none) return end;
  if (plan_.processes) divide_threads();
  column_ = first_column;
  return first;
}

RowProblem RowReader::read_field(const PlannedField& field, std::string_view& rest, bool& more) {
  switch (field.use) {
    case PlannedField::Use::number:
      return read_number(field, rest, more);
    case PlannedField::Use::region:
      return read_region(take_field(rest, header_.separator, more));
    case PlannedField::Use::filter:
      return read_filter(field, content_of(take_field(rest, header_.separator, more), buffer_));
    default:
      take_field(rest, header_.separator, more);
      return RowProblem::none;
  }
}

RowProblem RowReader::read_filter(const PlannedField& field, std::string_view cell) {
  const std::string_view reason = why_left_out(field.filter, cell);
  if (reason.empty()) return RowProblem::none;
  if (reason_.empty()) reason_ = reason;
  return RowProblem::no_run;
}

// Of CPUs that can't be dealt out evenly some do nothing.
void RowReader::divide_threads() {
  const double processes = values_[*plan_.processes];
  double& threads = values_[plan_.threads];
  if (processes > 0 && threads >= processes) threads = std::floor(threads / processes);
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
      values_[field.column] += field.scaled(value);
      return std::isfinite(values_[field.column]) ? RowProblem::none : RowProblem::not_finite;
    }
  }
  return read_cell(field, content_of(take_field(rest, header_.separator, more), buffer_));
}

RowProblem RowReader::read_cell(const PlannedField& field, std::string_view cell) {
  const CellNumber number = cell_number(cell, header_.decimal_mark);
  if (number.kind == CellKind::missing) return RowProblem::missing;
  if (number.kind == CellKind::not_finite) return RowProblem::not_finite;
  double value = field.scaled(number.value);
  if (number.kind == CellKind::number && !number.suffix.empty() &&
      number.suffix != field.unit_text) {
    const int thousands = field.thousand > 0 ? thousands_named(number.suffix) : 0;
    const auto unit = unit_behind(number.suffix, field.column_unit.dimension);
    if (thousands > 0) {
      value *= std::pow(field.thousand, thousands);
    } else if (unit) {
      value = unit->in_base(number.value) / field.column_unit.in_base(1);
    } else {
      keep_first_text(cell);
      return RowProblem::text;
    }
  }
  if (number.kind == CellKind::text) {
    const std::optional<double> seconds =
        field.column_unit.dimension == Dimension::time ? duration_in(cell) : std::nullopt;
    if (!seconds) {
      keep_first_text(cell);
      return RowProblem::text;
    }
    value = *seconds / field.column_unit.in_base(1);
  }
  values_[field.column] += value;
  return std::isfinite(values_[field.column]) ? RowProblem::none : RowProblem::not_finite;
}

// The one that the row's problem is about, if several cells hold text.
void RowReader::keep_first_text(std::string_view cell) {
  if (text_.empty()) text_ = cell;
}

RowProblem RowReader::read_region(std::string_view field) {
  region_ = content_of(field, buffer_);
  return region_.empty() && !header_.own ? RowProblem::missing : RowProblem::none;
}

// A separator behind the last field of each row, or of the header only, is common.
RowProblem RowReader::check_end(std::string_view rest, bool more) {
  const std::size_t fields = plan_.fields.size();
  if (column_ < fields) {
    const bool only_unnamed = column_ + 1 == fields && header_.names[column_].raw.empty() &&
                              plan_.fields[column_].use == PlannedField::Use::ignore;
    return only_unnamed ? RowProblem::none : RowProblem::too_few;
  }
  return !more || is_blank_record(rest) ? RowProblem::none : RowProblem::too_many;
}

}  // namespace huddle
