#include "profiles/measurements/row_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "profiles/measurements/cell_number.hpp"
#include "profiles/measurements/csv_record.hpp"

namespace huddle {

RowReader::RowReader(const FileHeader& header, const ColumnPlan& plan)
    : header_(header), plan_(plan), values_(plan.columns.size()) {}

RowProblem RowReader::read(std::string_view record) {
  std::ranges::fill(values_, 0.0);
  std::string_view rest = record;
  if (header_.separator == ' ')
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) rest.remove_prefix(1);
  bool more = true;
  text_.clear();
  RowProblem first = RowProblem::none;
  std::size_t first_column = 0;
  for (column_ = 0; column_ < plan_.fields.size(); ++column_) {
    if (!more) break;
    const PlannedField& field = plan_.fields[column_];
    RowProblem problem = RowProblem::none;
    if (field.use == PlannedField::Use::number)
      problem = read_number(field, rest, more);
    else if (field.use == PlannedField::Use::region)
      problem = read_region(take_field(rest, header_.separator, more));
    else
      take_field(rest, header_.separator, more);
    if (problem == RowProblem::none || first == RowProblem::text) continue;
    if (first != RowProblem::none && problem != RowProblem::text) continue;
    first = problem;
    first_column = column_;
  }
  const RowProblem end = check_end(rest, more);
  if (end != RowProblem::none) return end;
  column_ = first_column;
  return first;
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
    const auto unit = unit_named(number.suffix);
    const Dimension expected = field.column_unit.dimension;
    if (!unit || expected == Dimension::none || unit->dimension != expected) {
      keep_first_text(cell);
      return RowProblem::text;
    }
    value = unit->in_base(number.value) / field.column_unit.in_base(1);
  }
  if (number.kind == CellKind::text) {
    keep_first_text(cell);
    return RowProblem::text;
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
