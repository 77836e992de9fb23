#include "aggregator/forecast/table/measurement_csv.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <unordered_map>
#include <utility>

#include "aggregator/forecast/table/detail/columns.hpp"
#include "aggregator/forecast/table/detail/csv_records.hpp"
#include "aggregator/forecast/table/detail/given_values.hpp"
#include "aggregator/forecast/table/detail/job_components.hpp"
#include "aggregator/forecast/table/detail/plausibility.hpp"
#include "aggregator/forecast/table/detail/row_reader.hpp"
#include "aggregator/forecast/table/detail/run_totals.hpp"
#include "aggregator/forecast/table/detail/tool_formats.hpp"
#include "profiles/files/open_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pluralize.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle::forecast {
namespace {

constexpr std::size_t kMostRegions = 1'000'000;
constexpr std::size_t kMostColumns = 20'000;
constexpr std::size_t kMostComments = 1000;
constexpr std::string_view kOwnRowsFormat = "# huddle/measurements ";  // of any version

// A record that was read, see RecordSource.
struct CsvRecord {
  std::uint64_t line = 0;
  std::string text;
  bool is_cut = false;
};

// The next record that is no comment and no empty line; false at the end.
bool next_row(RecordSource& source, CsvRecord& record) {
  while (source.next())
    if (!trimmed(source.record()).empty() && !source.record().starts_with('#')) {
      record = {source.line(), std::string(source.record()), source.is_cut()};
      return true;
    }
  return false;
}

// The first of these that the header has.
char separator_of(std::string_view header) {
  for (const char separator : {'\t', ';', ',', '|'})
    if (fields_of(header, separator).size() > 1) return separator;
  return ',';
}

std::vector<std::string> cells_of(std::string_view record, char separator) {
  std::vector<std::string> cells;
  std::string buffer;
  for (const std::string_view field : fields_of(record, separator))
    cells.emplace_back(content_of(field, buffer));
  return cells;
}

[[noreturn]] void fail_at_line(const std::string& file, std::uint64_t line, std::string_view found,
                               std::string_view expected) {
  throw FormatError(file, fmt::format("line {}", line), found, expected);
}

// Lines before the first that is no comment, which `record` is then.
std::vector<CsvRecord> read_comments(RecordSource& source, CsvHeader& header, CsvRecord& record) {
  std::vector<CsvRecord> comments;
  while (source.next()) {
    const std::string_view text = source.record();
    if (trimmed(text).empty()) continue;
    if (text.find('\0') != std::string_view::npos)
      fail_at_line(header.file, source.line(), "binary data", "a text file of rows, as CSV");
    if (text.starts_with('{'))
      fail_at_line(header.file, source.line(), "JSON",
                   "rows: huddle forecast collect FILE... -o rows.csv makes them of profiles");
    record = {source.line(), std::string(text), source.is_cut()};
    if (!text.starts_with('#')) return comments;
    if (text == kOwnRowsMark)
      header.own = true;
    else if (comments.empty() && text.starts_with(kOwnRowsFormat))
      fail_at_line(header.file, source.line(), text.substr(2),
                   fmt::format("{}: collect the rows anew", kOwnRowsMark.substr(2)));
    else if (comments.size() < kMostComments)
      comments.push_back(
          {source.line(),
           std::string(text.substr(std::min(text.find_first_not_of("# "), text.size()))), false});
  }
  fail_at_line(header.file, source.line(), "the end of the file", "a header and rows");
}

// Reads the header, and the first row into `record`. The header may begin with '#', if rows of
// numbers come next.
CsvHeader read_header(RecordSource& source, CsvRecord& record) {
  CsvHeader header;
  header.file = source.file();
  const std::vector<CsvRecord> comments = read_comments(source, header, record);
  const std::vector<std::string> cells = cells_of(record.text, separator_of(record.text));
  const bool is_row = !header.own && std::ranges::any_of(cells, [](const std::string& cell) {
    return cell_number(cell).kind == CellKind::number;
  });
  if (is_row && comments.empty())
    fail_at_line(header.file, record.line, "numbers",
                 "a line that names the columns, such as "
                 "\"region,size,processes,threads,time_s,energy_j\": put one in front");
  header.line = is_row ? comments.back().line : record.line;
  header.text = is_row ? comments.back().text : record.text;
  header.separator = header.own ? ',' : separator_of(header.text);
  if (header.own)
    for (const CsvRecord& comment : comments) header.notes.push_back(comment.text);
  for (const std::string& name : cells_of(header.text, header.separator))
    header.names.push_back(header.own ? read_own_name(name) : read_header_name(name));
  if (!header.own) header.notes = add_facts_of_tool(header.names);
  if (header.names.size() > kMostColumns)
    fail_at_line(header.file, header.line, "more columns", fmt::format("at most {}", kMostColumns));
  source.set_separator(header.separator);
  if (!is_row && !next_row(source, record))
    fail_at_line(header.file, source.line(), "the end of the file",
                 "rows of numbers behind the header");
  header.first_row = cells_of(record.text, header.separator);
  header.first_row.resize(std::max(header.first_row.size(), header.names.size()));
  return header;
}

// Reads files one after the other into one table.
class Reader {
 public:
  Reader(const MeasurementCsvOptions& options, MeasurementReading& reading, std::uint64_t total)
      : options_(options), reading_(reading), total_(total) {
    reading_ = {};
  }

  void read(const RecordSource::Read& read_block, std::string file) {
    RecordSource source(
        [&](std::size_t size) {
          std::string block = read_block(size);
          reading_.bytes += block.size();
          if (options_.progress) options_.progress(reading_.bytes, total_);
          return block;
        },
        std::move(file));
    CsvRecord record;
    const CsvHeader header = read_header(source, record);
    ColumnPlan plan = plan_columns(header, options_, plan_ ? &*plan_ : nullptr);
    for (const std::string& warning : plan.warnings)
      if (std::ranges::find(reading_.warnings, warning) == reading_.warnings.end())
        reading_.warnings.push_back(warning);
    threads_may_be_totals_ = threads_may_be_totals_ && plan.threads_may_be_totals;
    if (!plan_) {
      reading_.remarks = plan.remarks;
      table_.columns = plan.columns;
      plan_ = plan;
    }
    RowReader rows(header, plan);
    do read_record(record, header, rows);
    while (next_row(source, record));
  }

  MeasurementTable finish() {
    reading_.kept = table_.rows();
    if (reading_.kept > 0) {
      if (std::string merged = components_.remark(); !merged.empty())
        reading_.remarks.push_back(std::move(merged));
      if (threads_may_be_totals_) divide_totals(table_, reading_);
      if (std::string doubt = doubt_of_power(table_); !doubt.empty())
        reading_.warnings.push_back(std::move(doubt));
      return std::move(table_);
    }
    if (reading_.left_out.empty()) throw Error("there are no rows");
    throw Error(fmt::format("none of {} rows can be used: in {} {}, first in {}", reading_.rows,
                            reading_.left_out[0].rows, reading_.left_out[0].reason,
                            reading_.left_out[0].first));
  }

 private:
  void read_record(const CsvRecord& record, const CsvHeader& header, RowReader& rows) {
    const RowProblem problem = rows.read(record.text);
    // Files with the same header were put together.
    if (problem != RowProblem::none && record.text == header.text) return;
    ++reading_.rows;
    if (problem == RowProblem::none)
      add(rows);
    else if (problem == RowProblem::missing && !record.is_cut)
      leave_out(
          fmt::format("{}, {}", header.file, header.place(record.line, rows.problem_column())));
    else
      fail(problem, record, header, rows);
  }

  void add(const RowReader& rows) {
    if ((table_.rows() + 1) * table_.columns.size() > options_.most_values)
      throw Error(fmt::format(
          "more than {} numbers: name the columns that matter (--keep-column), or fewer files",
          options_.most_values));
    if (const std::string run = run_of_component(rows.job());
        !run.empty() &&
        components_.merge(table_, run, rows.region(), rows.values(), plan_->threads_may_be_totals))
      return;
    table_.region.push_back(number_of(rows.region()));
    for (std::size_t i = 0; i < rows.values().size(); ++i)
      table_.columns[i].values.push_back(rows.values()[i]);
  }

  std::uint32_t number_of(std::string_view region) {
    if (region == last_region_ && !table_.regions.empty()) return last_number_;
    const auto [known, is_new] =
        numbers_.emplace(region, static_cast<std::uint32_t>(table_.regions.size()));
    if (is_new && table_.regions.size() == kMostRegions)
      throw Error(
          fmt::format("more than {} names of regions: is \"{}\" one? --column region=NAME says "
                      "which column holds them",
                      kMostRegions, shortened(region)));
    if (is_new) table_.regions.emplace_back(region);
    last_region_ = region;
    return last_number_ = known->second;
  }

  void leave_out(std::string first) {
    if (reading_.left_out.empty())
      reading_.left_out.push_back({"a value is missing or no finite number", 0, std::move(first)});
    ++reading_.left_out[0].rows;
  }

  // A last line that ends in a missing value and without a line end was probably cut.
  [[noreturn]] static void fail(RowProblem problem, const CsvRecord& record,
                                const CsvHeader& header, const RowReader& rows) {
    const std::string& text = rows.problem_text();
    if (problem == RowProblem::text)
      throw FormatError(header.file, header.place(record.line, rows.problem_column()),
                        text.find('\0') != std::string::npos
                            ? "binary data"
                            : fmt::format("\"{}\"", shortened(text)),
                        "a number with a decimal point, and maybe its unit behind it: correct it, "
                        "or remove the row");
    if (problem == RowProblem::unit)
      throw FormatError(header.file, header.place(record.line, rows.problem_column()),
                        fmt::format("\"{}\"", shortened(text)),
                        "the unit of a time, energy or frequency in the same row; --column "
                        "ROLE=NAME:UNIT says one for all rows");
    const std::size_t found = fields_of(record.text, header.separator).size();
    const std::string columns = pluralize(header.names.size(), "column");
    if (record.is_cut && problem != RowProblem::too_many)
      fail_at_line(header.file, record.line,
                   fmt::format("the end of the file within a row, in column {}", found),
                   columns + ": the file is cut short; get the rest of it, or remove this line");
    fail_at_line(header.file, record.line, pluralize(found, "column"),
                 fmt::format("{}, as the header in line {} has: correct it, or remove the row",
                             columns, header.line));
  }

  const MeasurementCsvOptions& options_;
  MeasurementReading& reading_;
  const std::uint64_t total_;
  std::optional<ColumnPlan> plan_;
  bool threads_may_be_totals_ = true;  // in all files
  MeasurementTable table_;
  JobComponents components_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // of regions
  std::string last_region_;
  std::uint32_t last_number_ = 0;
};

// 0 if one of them is no regular file.
std::uint64_t bytes_of(const std::vector<std::filesystem::path>& files) {
  std::uint64_t total = 0;
  for (const std::filesystem::path& file : files) {
    std::error_code failure;
    if (file == "-" || !std::filesystem::is_regular_file(file, failure)) return 0;
    total += std::filesystem::file_size(file, failure);
  }
  return total;
}

}  // namespace

MeasurementTable read_measurements(const std::vector<std::filesystem::path>& files,
                                   const MeasurementCsvOptions& options,
                                   MeasurementReading& reading) {
  if (files.empty()) throw UsageError("no file of rows is named");
  check_given_values(options);
  Reader reader(options, reading, bytes_of(files));
  for (const std::filesystem::path& file : files) {
    const bool standard_input = file == "-";
    const std::string name = standard_input ? "standard input" : file.string();
    const int descriptor = standard_input ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                          : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw SystemError("read", name, errno);
    const files::OpenFile open(descriptor, name);
    ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
    reader.read([&](std::size_t size) { return open.read(size); }, name);
  }
  return reader.finish();
}

MeasurementTable parse_measurements(std::string_view text, std::string_view file,
                                    const MeasurementCsvOptions& options,
                                    MeasurementReading& reading) {
  check_given_values(options);
  Reader reader(options, reading, text.size());
  reader.read([&](std::size_t) { return std::string(std::exchange(text, {})); }, std::string(file));
  return reader.finish();
}

}  // namespace huddle::forecast
