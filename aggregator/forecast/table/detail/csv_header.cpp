#include "aggregator/forecast/table/detail/csv_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "aggregator/forecast/table/detail/cells.hpp"
#include "profiles/import/tool_tables.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::string_view kOwnRowsFormat = "# huddle/measurements ";  // of any version
constexpr std::string_view kExpectedHeader =
    "a line that names the columns, such as \"region,size,processes,threads,time_s,energy_j\": "
    "put one in front";
constexpr std::size_t kMostSampled = 500;
constexpr std::size_t kMostColumns = 20'000;
constexpr std::size_t kMostComments = 1000;

struct Line {
  std::uint64_t number = 0;
  std::string text;
};

[[noreturn]] void fail(const RecordSource& source, std::uint64_t line, std::string_view found,
                       std::string_view expected) {
  throw FormatError(source.file(), fmt::format("line {}", line), found, expected);
}

// The lines that come next, without taking them.
std::vector<std::string> lines_ahead(RecordSource& source, char separator) {
  std::string_view rest = source.ahead();
  RecordSource rows(
      [&](char* to, std::size_t size) {
        const std::size_t part = std::min(size, rest.size());
        std::memcpy(to, rest.data(), part);
        rest.remove_prefix(part);
        return part;
      },
      source.file());
  rows.set_separator(separator);
  std::vector<std::string> lines;
  try {
    while (lines.size() < kMostSampled && rows.next()) {
      if (rows.is_cut() && !lines.empty()) break;  // maybe a part of a row only
      if (!is_empty_line(rows.record()) && !rows.record().starts_with('#'))
        lines.emplace_back(rows.record());
    }
  } catch (const FormatError&) {
    // A quote that closes behind what was looked at, or never, which reading says.
  }
  return lines;
}

// What gives most lines as many fields as the header has.
char separator_of(std::string_view header, const std::vector<std::string>& lines) {
  char best = ',';
  std::ptrdiff_t most = -1;
  for (const char separator : {'\t', ';', ',', '|', ' '}) {
    const std::size_t fields = fields_of(header, separator).size();
    if (fields < 2) continue;
    const auto fitting = std::ranges::count_if(lines, [&](const std::string& line) {
      return fields_of(line, separator).size() == fields;
    });
    if (fitting <= most) continue;
    best = separator;
    most = fitting;
  }
  return best;
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
std::vector<Line> read_comments(RecordSource& source, CsvHeader& header) {
  std::vector<Line> comments;
  while (source.next()) {
    const std::string_view record = source.record();
    // A name of ours may be any text.
    if (header.own ? is_blank_record(record) : is_empty_line(record)) continue;
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
const Line& header_among(const std::vector<Line>& comments, const std::vector<std::string>& rows) {
  const auto fits = std::ranges::find_if(comments.rbegin(), comments.rend(), [&](const Line& line) {
    const char separator = separator_of(line.text, rows);
    const std::size_t fields = fields_of(line.text, separator).size();
    return fields > 1 && fields == fields_of(rows[0], separator).size();
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
  for (const std::string_view field : fields_of(header.text, header.separator)) {
    const std::string_view content = content_of(field, buffer);
    const std::string place = fmt::format("line {}", header.line);
    if (content.find('\0') != std::string_view::npos)
      throw FormatError(header.file, place, "binary data", "a text file of rows, as CSV");
    header.names.push_back(header.own ? own_name(content) : read_header_name(content));
    if (header.names.size() > kMostColumns)
      throw FormatError(header.file, place, "more columns",
                        fmt::format("at most {}", kMostColumns));
  }
}

// `lines`: the first rows; if none was ahead, the first one that comes.
void read_first_rows(RecordSource& source, std::vector<std::string> lines, CsvHeader& header) {
  while (lines.empty()) {
    if (!source.next())
      fail(source, source.line(), "the end of the file", "rows of numbers behind the header");
    if (is_empty_line(source.record()) || source.record().starts_with('#')) continue;
    lines.emplace_back(source.record());
    source.restart_record();
  }
  std::string buffer;
  for (const std::string& line : lines) {
    std::vector<std::string>& cells = header.first_rows.emplace_back();
    for (const std::string_view field : fields_of(line, header.separator))
      cells.emplace_back(content_of(field, buffer));
  }
}

}  // namespace

std::string CsvHeader::place(std::uint64_t of_line, std::size_t column) const {
  return fmt::format("line {}, column {} ({})", of_line, column + 1,
                     column < names.size() ? shortened(names[column].raw) : "without a name");
}

CsvHeader read_header(RecordSource& source, const MeasurementCsvOptions& options) {
  CsvHeader header;
  header.file = source.file();
  refuse_other_formats(source.file(), source.ahead());
  if (source.ahead().starts_with("\xef\xbb\xbf")) source.skip(3);
  source.set_separator(options.separator);
  const std::vector<Line> comments = read_comments(source, header);
  skip_table_in_front(source);
  // Who names columns doesn't take them for what they say.
  header.own = header.own && options.columns.empty() && options.units.empty();
  header.line = source.line();
  header.text = source.record();
  if (header.own)
    for (const Line& comment : comments) header.notes.push_back(comment.text);
  source.restart_record();
  std::vector<std::string> rows = lines_ahead(source, options.separator);
  if (rows.empty()) rows.push_back(header.text);
  const std::vector<std::string> behind(rows.begin() + 1, rows.end());
  const auto separator = [&](const std::vector<std::string>& lines) {
    if (header.own) return ',';
    return options.separator != 0 ? options.separator : separator_of(header.text, lines);
  };
  header.separator = separator(behind);
  if (!header.own && holds_numbers(header.text, header.separator)) {
    if (comments.empty()) fail(source, header.line, "numbers", kExpectedHeader);
    const Line& named = header_among(comments, rows);
    header.line = named.number;
    header.text = named.text;
    header.separator = separator(rows);
  } else {
    source.next();
    rows = behind;
  }
  source.set_separator(header.separator);
  read_names(header);
  read_first_rows(source, std::move(rows), header);
  header.decimal_mark = header.own                  ? '.'
                        : options.decimal_mark != 0 ? options.decimal_mark
                                                    : decimal_mark_of(header);
  return header;
}

}  // namespace huddle
