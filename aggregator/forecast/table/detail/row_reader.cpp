#include "aggregator/forecast/table/detail/row_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "aggregator/forecast/table/detail/csv_records.hpp"
#include "aggregator/forecast/table/detail/unit_columns.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle::forecast {

RowReader::RowReader(const CsvHeader& header, const ColumnPlan& plan)
    : header_(header),
      plan_(plan),
      values_(plan.columns.size()),
      units_(plan.file.size()),
      region_(plan.given_region) {}

RowProblem RowReader::read(std::string_view record) {
  std::ranges::copy(plan_.given, values_.begin());
  std::string_view rest = record;
  bool more = true;
  RowProblem worst = RowProblem::none;
  std::size_t fields = 0;
  waiting_.clear();
  for (; fields < plan_.file.size() && more; ++fields)
    note(read_field(fields, rest, more), fields, worst);
  for (const Waiting& number : waiting_) note(convert(number), *number.column->units_in, worst);
  // The header alone may have a separator behind its last field.
  const bool only_header_ends_so = fields + 1 == plan_.file.size() &&
                                   header_.names[fields].raw.empty() &&
                                   plan_.file[fields].use == FileColumn::Use::ignore;
  if (fields < plan_.file.size() && !only_header_ends_so) return RowProblem::too_few;
  // A separator behind the last field is common.
  if (more && !trimmed(rest).empty()) return RowProblem::too_many;
  return worst;
}

void RowReader::note(RowProblem problem, std::size_t column, RowProblem& worst) {
  if (problem <= worst) return;
  worst = problem;
  column_ = column;
  text_ = cell_;
}

RowProblem RowReader::read_field(std::size_t at, std::string_view& rest, bool& more) {
  const FileColumn& column = plan_.file[at];
  if (column.use == FileColumn::Use::number && !column.units_in &&
      read_plain_number(column, rest, more))
    return RowProblem::none;
  const std::string_view field = take_field(rest, header_.separator, more);
  if (column.use == FileColumn::Use::ignore) return RowProblem::none;
  cell_ = content_of(field, buffer_);
  if (column.use == FileColumn::Use::number) return read_number(column, cell_);
  if (column.use == FileColumn::Use::unit) {
    units_[at] = cell_;
    return RowProblem::none;
  }
  if (column.use == FileColumn::Use::job) {
    job_ = cell_;
    return RowProblem::none;
  }
  region_ = cell_;
  return region_.empty() && !header_.own ? RowProblem::missing : RowProblem::none;
}

// The usual cell, a number and a separator, is read without looking for its end first.
bool RowReader::read_plain_number(const FileColumn& column, std::string_view& rest, bool& more) {
  const char* begin = rest.data();
  const char* end = begin + rest.size();
  while (begin != end && *begin == ' ') ++begin;
  double value = 0;
  const auto [stop, failure] = std::from_chars(begin, end, value);
  const double sum = values_[column.target] + column.unit.in_base(value);
  if (failure != std::errc{} || (stop != end && *stop != header_.separator) || !std::isfinite(sum))
    return false;
  more = stop != end;
  rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()) + (more ? 1 : 0));
  values_[column.target] = sum;
  return true;
}

RowProblem RowReader::read_number(const FileColumn& column, std::string_view cell) {
  const CellNumber number = cell_number(cell);
  if (number.kind == CellKind::missing) return RowProblem::missing;
  if (number.kind == CellKind::text) return RowProblem::text;
  MeasurementUnit unit = column.unit;
  if (!number.suffix.empty()) {
    const auto named = unit_named(number.suffix);
    if (!named || named->dimension != unit.dimension) return RowProblem::text;
    unit = *named;
  } else if (column.units_in) {
    waiting_.push_back({&column, number.value});
    return RowProblem::none;
  }
  return add(column, unit, number.value);
}

RowProblem RowReader::convert(const Waiting& waiting) {
  const FileColumn& column = *waiting.column;
  cell_ = units_[*column.units_in];
  if (cell_ != last_unit_text_) {
    last_unit_text_ = cell_;
    last_unit_ = unit_in_cell(cell_);
  }
  if (!last_unit_ || last_unit_->dimension != column.unit.dimension)
    return cell_number(cell_).kind == CellKind::missing ? RowProblem::missing : RowProblem::unit;
  return add(column, *last_unit_, waiting.number);
}

RowProblem RowReader::add(const FileColumn& column, const MeasurementUnit& unit, double number) {
  const double sum = values_[column.target] += unit.in_base(number);
  return std::isfinite(sum) ? RowProblem::none : RowProblem::missing;
}

}  // namespace huddle::forecast
