#include "aggregator/forecast/table/file_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "aggregator/forecast/table/cell_number.hpp"
#include "aggregator/forecast/table/csv_dialect.hpp"
#include "aggregator/forecast/table/csv_record.hpp"
#include "aggregator/forecast/table/other_formats.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

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

std::vector<std::string> sampled_rows(RecordSource& source, char separator) {
  const std::string text(source.ahead());
  std::size_t at = 0;
  RecordSource rows(
      [&](char* to, std::size_t size) {
        const std::size_t part = std::min(size, text.size() - at);
        std::memcpy(to, text.data() + at, part);
        at += part;
        return part;
      },
      source.file());
  rows.set_separator(separator);
  std::vector<std::string> sample;
  try {
    while (sample.size() < kMostSampled && rows.next()) {
      if (rows.is_cut() && !sample.empty()) break;  // maybe a part of a row only
      if (!is_empty_line(rows.record()) && !rows.record().starts_with('#'))
        sample.emplace_back(rows.record());
    }
  } catch (const FormatError&) {
    // A quote that closes behind the sample, or never, which reading tells.
  }
  return sample;
}

bool is_number(std::string_view field) {
  std::string buffer;
  const std::string_view cell = content_of(field, buffer);
  for (const char mark : {'.', ','}) {
    const CellNumber number = cell_number(cell, mark);
    if (number.kind == CellKind::number && (number.suffix.empty() || unit_named(number.suffix)))
      return true;
  }
  return false;
}

bool holds_numbers(std::string_view record, char separator) {
  return std::ranges::any_of(fields_of(record, separator), is_number);
}

std::string_view without_marks(std::string_view comment) {
  while (comment.starts_with('#') || comment.starts_with(' ')) comment.remove_prefix(1);
  return comment;
}

// Lines before the first that is no comment, which `source` stands at then.
std::vector<Line> read_comments(RecordSource& source, FileHeader& header) {
  std::vector<Line> comments;
  while (source.next()) {
    // A name of ours may be any text.
    if (header.own ? is_blank_record(source.record()) : is_empty_line(source.record())) continue;
    if (!source.record().starts_with('#')) return comments;
    if (source.record() == kOwnRowsMark)
      header.own = true;
    else if (comments.empty() && source.record().starts_with(kOwnRowsFormat))
      fail(source, source.line(), source.record().substr(2),
           fmt::format("{}: collect the rows anew", kOwnRowsMark.substr(2)));
    else if (comments.size() < kMostComments)
      comments.push_back({source.line(), std::string(without_marks(source.record()))});
  }
  fail(source, source.line(), "the end of the file", "a header and rows");
}

// Of comments before a row, the one that names its columns.
const Line& header_among(const std::vector<Line>& comments, const std::vector<std::string>& rows) {
  const auto fits = std::ranges::find_if(comments.rbegin(), comments.rend(), [&](const Line& line) {
    const char separator = find_separator(line.text, rows);
    const std::size_t fields = fields_of(line.text, separator).size();
    return fields > 1 && fields == fields_of(rows[0], separator).size();
  });
  return fits == comments.rend() ? comments.back() : *fits;
}

// APEX writes a table of counters in front of that of its tasks, even if there are none.
void skip_counters_of_apex(RecordSource& source) {
  if (!source.record().starts_with("\"counter\",\"num samples\"")) return;
  const std::uint64_t line = source.line();
  while (source.next())
    if (source.record().starts_with("\"task\",")) return;
  fail(source, line, "counters of APEX alone", "its table of tasks behind them");
}

void choose_dialect(RecordSource& source, const MeasurementCsvOptions& options,
                    FileHeader& header) {
  header.separator =
      options.separator != 0 ? options.separator : find_separator(header.text, header.sample);
  if (header.own) header.separator = ',';
  source.set_separator(header.separator);
  header.decimal_mark = options.decimal_mark != 0
                            ? options.decimal_mark
                            : find_decimal_mark(header.sample, header.separator);
  if (header.own) header.decimal_mark = '.';
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

void read_names(FileHeader& header) {
  std::string buffer;
  for (const std::string_view field : fields_of(header.text, header.separator)) {
    const std::string_view content = content_of(field, buffer);
    if (content.find('\0') != std::string_view::npos)
      throw FormatError(header.file, fmt::format("line {}", header.line), "binary data",
                        "a text file of rows, as CSV");
    header.names.push_back(header.own ? own_name(content) : read_header_name(content));
    if (header.names.size() > kMostColumns)
      throw FormatError(header.file, fmt::format("line {}", header.line), "more columns",
                        fmt::format("at most {}", kMostColumns));
  }
}

}  // namespace

bool is_blank_record(std::string_view record) {
  return std::ranges::all_of(record, [](char c) { return c == ' ' || c == '\t'; });
}

bool is_empty_line(std::string_view record) {
  if (record.find_first_not_of(" \t-=+|:") != std::string_view::npos) return false;
  return record.find("---") != std::string_view::npos ||
         record.find("===") != std::string_view::npos || is_blank_record(record);
}

std::string FileHeader::place(std::uint64_t of_line, std::size_t column) const {
  return fmt::format("line {}, column {} ({})", of_line, column + 1,
                     column < names.size() ? shortened(names[column].raw) : "without a name");
}

FileHeader read_header(RecordSource& source, const MeasurementCsvOptions& options) {
  FileHeader header;
  header.file = source.file();
  refuse_other_formats(source.file(), source.ahead());
  if (source.ahead().starts_with("\xef\xbb\xbf")) source.skip(3);
  source.set_separator(options.separator);
  const std::vector<Line> comments = read_comments(source, header);
  skip_counters_of_apex(source);
  // Who names columns doesn't take them for what they say.
  header.own = header.own && options.columns.empty() && options.units.empty();
  header.line = source.line();
  header.text = source.record();
  if (header.own)
    for (const Line& comment : comments) header.notes.push_back(comment.text);
  source.restart_record();
  std::vector<std::string> rows = sampled_rows(source, options.separator);
  if (rows.empty()) rows.push_back(header.text);
  const std::vector<std::string> behind(rows.begin() + 1, rows.end());
  const char separator =
      options.separator != 0 ? options.separator : find_separator(header.text, behind);
  if (!header.own && holds_numbers(header.text, separator)) {
    if (comments.empty()) fail(source, header.line, "numbers", kExpectedHeader);
    const Line& named = header_among(comments, rows);
    header.line = named.number;
    header.text = named.text;
    header.sample = std::move(rows);
  } else {
    source.next();
    header.sample = behind;
  }
  choose_dialect(source, options, header);
  read_names(header);
  while (header.sample.empty()) {
    if (!source.next())
      fail(source, source.line(), "the end of the file", "rows of numbers behind the header");
    if (is_empty_line(source.record()) || source.record().starts_with('#')) continue;
    header.sample.emplace_back(source.record());
    source.restart_record();
  }
  return header;
}

}  // namespace huddle
