#include "aggregator/forecast/table/detail/csv_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "aggregator/forecast/table/detail/cells.hpp"
#include "profiles/import/tool_tables.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle {
namespace {

constexpr std::string_view kOwnRowsFormat = "# huddle/measurements ";  // of any version
constexpr std::string_view kExpectedHeader =
    "a line that names the columns, such as \"region,size,processes,threads,time_s,energy_j\": "
    "put one in front";
constexpr std::size_t kMostSampled = 500;
constexpr std::size_t kMostBytesSampled = std::size_t{1} << 20U;
constexpr std::size_t kMostColumns = 20'000;
constexpr std::size_t kMostComments = 1000;

[[noreturn]] void fail(const RecordSource& source, std::uint64_t line, std::string_view found,
                       std::string_view expected) {
  throw FormatError(source.file(), fmt::format("line {}", line), found, expected);
}

// The one given, else the first of these that the header has.
char separator_of(std::string_view header, char given) {
  if (given != 0) return given;
  for (const char separator : {'\t', ';', ',', '|'})
    if (fields_of(header, separator).size() > 1) return separator;
  return fields_of(header, ' ').size() > 1 ? ' ' : ',';
}

// ',' if commas are in numbers, and never points.
char decimal_mark_of(const CsvHeader& header) {
  bool comma = false;
  if (header.separator == ',') return '.';
  for (const std::vector<std::string>& row : header.first_rows)
    for (const std::string& cell : row) {
      if (cell.find('.') != std::string::npos && cell_number(cell, '.').kind == CellKind::number)
        return '.';
      comma = comma || (cell.find(',') != std::string::npos &&
                        cell_number(cell, ',').kind == CellKind::number);
    }
  return comma ? ',' : '.';
}

bool holds_numbers(std::string_view record, char separator) {
  std::string buffer;
  for (const std::string_view field : fields_of(record, separator))
    for (const char mark : {'.', ','}) {
      const CellNumber number = cell_number(content_of(field, buffer), mark);
      if (number.kind == CellKind::number && (number.suffix.empty() || unit_named(number.suffix)))
        return true;
    }
  return false;
}

// Lines before the first that is no comment, which `source` stands at then.
std::vector<CsvRecord> read_comments(RecordSource& source, CsvHeader& header) {
  std::vector<CsvRecord> comments;
  while (source.next()) {
    const std::string_view record = source.record();
    // A name of ours may be any text.
    if (header.own ? trimmed(record).empty() : is_empty_line(record)) continue;
    if (!record.starts_with('#')) return comments;
    if (record == kOwnRowsMark)
      header.own = true;
    else if (comments.empty() && record.starts_with(kOwnRowsFormat))
      fail(source, source.line(), record.substr(2),
           fmt::format("{}: collect the rows anew", kOwnRowsMark.substr(2)));
    else if (comments.size() < kMostComments)
      comments.push_back({source.line(), std::string(record.substr(std::min(
                                             record.find_first_not_of("# "), record.size())))});
  }
  fail(source, source.line(), "the end of the file", "a header and rows");
}

// Of comments before a row, the one that names its columns.
const CsvRecord& header_among(const std::vector<CsvRecord>& comments, std::string_view row,
                              char given) {
  const auto fits =
      std::ranges::find_if(comments.rbegin(), comments.rend(), [&](const CsvRecord& comment) {
        const char separator = separator_of(comment.text, given);
        const std::size_t fields = fields_of(comment.text, separator).size();
        return fields > 1 && fields == fields_of(row, separator).size();
      });
  return fits == comments.rend() ? comments.back() : *fits;
}

void skip_table_in_front(RecordSource& source) {
  const std::string_view wanted = header_behind(source.record());
  if (wanted.empty()) return;
  const std::uint64_t line = source.line();
  while (source.next())
    if (source.record().starts_with(wanted)) return;
  fail(source, line, "counters of APEX alone", "its table of tasks behind them");
}

// In our own files only "[...]" gives a unit.
HeaderName own_name(std::string_view content) {
  HeaderName name{std::string(content), std::string(content), {}};
  const std::size_t open = content.rfind(" [");
  if (!content.ends_with(']') || open == std::string_view::npos) return name;
  name.name = content.substr(0, open);
  name.unit = content.substr(open + 2, content.size() - open - 3);
  return name;
}

void read_names(CsvHeader& header) {
  std::string buffer;
  const std::string place = fmt::format("line {}", header.line);
  if (header.text.find('\0') != std::string::npos)
    throw FormatError(header.file, place, "binary data", "a text file of rows, as CSV");
  for (const std::string_view field : fields_of(header.text, header.separator)) {
    const std::string_view content = content_of(field, buffer);
    header.names.push_back(header.own ? own_name(content) : read_header_name(content));
  }
  if (!header.own) heed_minima(header.names);
  if (header.names.size() > kMostColumns)
    throw FormatError(header.file, place, "more columns", fmt::format("at most {}", kMostColumns));
}

// Behind those that the header has already.
void read_first_rows(RecordSource& source, CsvHeader& header) {
  std::size_t bytes = 0;
  CsvRecord record;
  while (header.first_records.size() < kMostSampled && bytes < kMostBytesSampled &&
         next_row(source, record)) {
    bytes += record.text.size();
    header.first_records.push_back(record);
  }
  if (header.first_records.empty())
    fail(source, source.line(), "the end of the file", "rows of numbers behind the header");
  std::string buffer;
  for (const CsvRecord& first : header.first_records) {
    std::vector<std::string>& cells = header.first_rows.emplace_back();
    for (const std::string_view field : fields_of(first.text, header.separator))
      cells.emplace_back(content_of(field, buffer));
  }
}

}  // namespace

std::string CsvHeader::place(std::uint64_t of_line, std::size_t column) const {
  return fmt::format("line {}, column {} ({})", of_line, column + 1,
                     column < names.size() ? shortened(names[column].raw) : "without a name");
}

std::optional<std::size_t> CsvHeader::find(std::string_view name) const {
  for (const bool exact : {true, false})
    for (const auto part : {&HeaderName::raw, &HeaderName::name})
      for (std::size_t i = 0; i < names.size(); ++i)
        if (exact ? names[i].*part == name : in_lower_case(names[i].*part) == in_lower_case(name))
          return i;
  return std::nullopt;
}

std::size_t CsvHeader::named(std::string_view name) const {
  if (const auto found = find(name)) return *found;
  std::string all;
  for (const HeaderName& known : names)
    all += fmt::format("{}{}", all.empty() ? "" : ", ", shortened(known.raw));
  throw UsageError(
      fmt::format("{} has no column \"{}\": its columns are {}", file, name, shortened(all, 400)));
}

bool next_row(RecordSource& source, CsvRecord& record) {
  while (source.next())
    if (!is_empty_line(source.record()) && !source.record().starts_with('#')) {
      record.line = source.line();
      record.text = source.record();
      record.is_cut = source.is_cut();
      return true;
    }
  return false;
}

CsvHeader read_header(RecordSource& source, const MeasurementCsvOptions& options) {
  CsvHeader header;
  header.file = source.file();
  refuse_other_formats(source.file(), source.first_bytes());
  source.set_separator(options.separator);
  const std::vector<CsvRecord> comments = read_comments(source, header);
  skip_table_in_front(source);
  // Who names columns doesn't take them for what they say.
  header.own = header.own && options.columns.empty() && options.units.empty();
  header.line = source.line();
  header.text = source.record();
  if (header.own) {
    for (const CsvRecord& comment : comments) header.notes.push_back(comment.text);
  } else {
    if (holds_numbers(header.text, separator_of(header.text, options.separator))) {
      if (comments.empty()) fail(source, header.line, "numbers", kExpectedHeader);
      header.first_records.push_back({header.line, header.text, source.is_cut()});
      const CsvRecord& named = header_among(comments, header.text, options.separator);
      header.line = named.line;
      header.text = named.text;
    }
    header.separator = separator_of(header.text, options.separator);
  }
  source.set_separator(header.separator);
  read_names(header);
  read_first_rows(source, header);
  if (!header.own)
    header.decimal_mark =
        options.decimal_mark != 0 ? options.decimal_mark : decimal_mark_of(header);
  return header;
}

}  // namespace huddle
