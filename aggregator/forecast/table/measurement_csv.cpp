#include "aggregator/forecast/table/measurement_csv.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include "aggregator/forecast/table/detail/columns.hpp"
#include "aggregator/forecast/table/detail/csv_header.hpp"
#include "aggregator/forecast/table/detail/csv_records.hpp"
#include "aggregator/forecast/table/detail/given_values.hpp"
#include "profiles/files/open_file.hpp"
#include "profiles/vocabulary/counted.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/text.hpp"

namespace huddle {
namespace {

constexpr std::size_t kMostRegions = 1'000'000;
constexpr std::size_t kMostNameBytes = std::size_t{256} << 20U;

// The lot of the row with this number: G. Steele et al., Fast splittable pseudorandom number
// generators, OOPSLA 2014 (the mixing of SplitMix64).
std::uint64_t lot_of(std::uint64_t row) {
  std::uint64_t bits = row * 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

// Puts rows into a table that never has more than a number of them, but at least one.
class TableFilling {
 public:
  // `columns` without values.
  TableFilling(std::vector<MeasuredColumn> columns, const MeasurementCsvOptions& options)
      : most_rows_(std::clamp<std::uint64_t>(
            options.most_values / std::max<std::size_t>(columns.size(), 1), 1,
            std::max<std::uint64_t>(options.most_rows, 1))) {
    table_.columns = std::move(columns);
  }

  // `values` has one for each column. Throws Error if there are too many regions to name.
  void add(std::string_view region, const std::vector<double>& values) {
    const std::uint64_t lot = lot_of(++seen_);
    if ((lot & (stride_ - 1)) != 0) return;
    lots_.push_back(lot);
    table_.region.push_back(number_of(region));
    for (std::size_t i = 0; i < values.size(); ++i) table_.columns[i].values.push_back(values[i]);
    while (table_.rows() > most_rows_) thin();
  }

  [[nodiscard]] std::uint64_t stride() const { return stride_; }

  // The table, with those regions only that have rows. The filling is empty afterwards.
  MeasurementTable take() {
    const std::vector<std::string> all = std::exchange(table_.regions, {});
    numbers_.clear();
    name_bytes_ = 0;
    for (std::uint32_t& region : table_.region) region = number_of(all[region]);
    return std::move(table_);
  }

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  std::uint32_t number_of(std::string_view region) {
    const auto known = numbers_.find(region);
    if (known != numbers_.end()) return known->second;
    name_bytes_ += region.size();
    if (table_.regions.size() == kMostRegions || name_bytes_ > kMostNameBytes)
      throw Error(
          fmt::format("more than {} names of regions, or {} MiB of them: is \"{}\" one? "
                      "--column region=NAME says which column holds them",
                      kMostRegions, kMostNameBytes >> 20U, shortened(region)));
    const auto number = static_cast<std::uint32_t>(table_.regions.size());
    table_.regions.emplace_back(region);
    numbers_.emplace(region, number);
    return number;
  }

  void thin() {
    stride_ *= 2;
    std::vector<std::size_t> stay;
    for (std::size_t row = 0; row < lots_.size(); ++row)
      if ((lots_[row] & (stride_ - 1)) == 0) stay.push_back(row);
    if (stay.empty()) stay.push_back(0);
    table_.keep(stay);
    std::erase_if(lots_, [&](std::uint64_t lot) { return (lot & (stride_ - 1)) != 0; });
    lots_.resize(stay.size());
  }

  MeasurementTable table_;
  std::vector<std::uint64_t> lots_;  // of the table's rows
  std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> numbers_;
  std::size_t name_bytes_ = 0;
  std::uint64_t most_rows_;
  std::uint64_t seen_ = 0;
  std::uint64_t stride_ = 1;
};

// Of several problems of a row the last one here is reported; of equal ones the first.
enum class RowProblem : std::uint8_t {
  none,
  missing,
  not_finite,
  text,
  no_run,  // it is about something else
  too_few,
  too_many,
};

// Reads records as a plan says.
class RowReader {
 public:
  // Both must outlive it.
  RowReader(const CsvHeader& header, const ColumnPlan& plan)
      : header_(header), plan_(plan), values_(plan.columns.size()), region_(plan.given_region) {}

  // Reads one record. `none`: region() and values() are its content.
  RowProblem read(std::string_view record) {
    std::ranges::copy(plan_.given, values_.begin());
    std::string_view rest = record;
    if (header_.separator == ' ')
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    bool more = true;
    RowProblem worst = RowProblem::none;
    std::size_t fields = 0;
    for (; fields < plan_.file.size() && more; ++fields) {
      const RowProblem problem = read_field(plan_.file[fields], rest, more);
      // Missing values and those that are not finite are equal problems.
      if (problem <= worst || (problem == RowProblem::not_finite && worst == RowProblem::missing))
        continue;
      worst = problem;
      column_ = fields;
      text_ = cell_;
    }
    // The header alone may have a separator behind its last field.
    const bool only_header_ends_so = fields + 1 == plan_.file.size() &&
                                     header_.names[fields].raw.empty() &&
                                     plan_.file[fields].use == FileColumn::Use::ignore;
    if (fields < plan_.file.size() && !only_header_ends_so) return RowProblem::too_few;
    // A separator behind the last field is common.
    if (more && !trimmed(rest).empty()) return RowProblem::too_many;
    if (plan_.processes) {  // of CPUs that can't be dealt out evenly some do nothing
      double& threads = values_[plan_.threads];
      const double processes = values_[*plan_.processes];
      if (processes > 0 && threads >= processes) threads = std::floor(threads / processes);
    }
    return worst;
  }

  [[nodiscard]] std::string_view region() const { return region_; }
  // One for each of the plan's columns.
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  // Of a problem: the column where it is, and the cell there, or of `no_run` why, for people.
  [[nodiscard]] std::size_t problem_column() const { return column_; }
  [[nodiscard]] const std::string& problem_text() const { return text_; }

 private:
  RowProblem read_field(const FileColumn& column, std::string_view& rest, bool& more) {
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
  bool read_plain_number(const FileColumn& column, std::string_view& rest, bool& more) {
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

  RowProblem read_number(const FileColumn& column, std::string_view cell) {
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

  RowProblem add(const FileColumn& column, double value) {
    const double sum = values_[column.target] += value;
    return std::isfinite(sum) ? RowProblem::none : RowProblem::not_finite;
  }

  const CsvHeader& header_;
  const ColumnPlan& plan_;
  std::vector<double> values_;
  std::string region_;
  std::string buffer_;
  std::size_t column_ = 0;
  std::string_view cell_;  // that was read last
  std::string text_;
};

constexpr std::string_view kLeaveOut =
    "correct it, or leave out all rows like this with --leave-out-bad-rows";

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
    const CsvHeader header = read_header(source, options_);
    ColumnPlan plan = plan_columns(header, options_, plan_ ? &*plan_ : nullptr);
    if (!plan_) {
      reading_.remarks = plan.remarks;
      filling_.emplace(plan.columns, options_);
      plan_ = plan;
    }
    RowReader rows(header, plan);
    for (const CsvRecord& record : header.first_records) read_record(record, header, rows);
    for (CsvRecord record; next_row(source, record);) read_record(record, header, rows);
  }

  MeasurementTable finish() {
    MeasurementTable table = filling_->take();
    reading_.stride = filling_->stride();
    reading_.kept = table.rows();
    if (reading_.kept == 0) {
      if (reading_.left_out.empty()) throw Error("there are no rows");
      const auto most = std::ranges::max_element(reading_.left_out, {}, &LeftOutRows::rows);
      throw Error(fmt::format("none of {} rows can be used: in {} {}, first in {}", reading_.rows,
                              most->rows, most->reason, most->first));
    }
    if (reading_.stride > 1)
      reading_.remarks.push_back(fmt::format(
          "About one of {} rows is kept, drawn by lot: {} rows of {} columns need too much memory. "
          "With --keep-column NAME fewer columns are read, and so more rows are kept.",
          reading_.stride, reading_.rows, table.columns.size()));
    return table;
  }

 private:
  void read_record(const CsvRecord& record, const CsvHeader& header, RowReader& rows) {
    const RowProblem problem = rows.read(record.text);
    // Files with the same header were put together.
    if (problem != RowProblem::none && record.text == header.text) return;
    ++reading_.rows;
    if (problem == RowProblem::none)
      filling_->add(rows.region(), rows.values());
    else
      leave_out(problem, record, header, rows);
  }

  void leave_out(RowProblem problem, const CsvRecord& record, const CsvHeader& header,
                 const RowReader& rows) {
    // A last line that ends in a missing value and without a line end was probably cut.
    const bool always = problem == RowProblem::no_run || problem == RowProblem::not_finite ||
                        (problem == RowProblem::missing && !record.is_cut);
    const bool whole = problem == RowProblem::too_few || problem == RowProblem::too_many;
    const std::string place = whole ? fmt::format("line {}", record.line)
                                    : header.place(record.line, rows.problem_column());
    if (!always && !options_.leave_out_bad_rows)
      fail(problem, place, record, header, rows.problem_text());
    constexpr std::array<std::string_view, 7> kReasons = {
        "",       "a value is missing", "not a finite number", "text where a number is expected",
        "no run", "too few columns",    "too many columns"};
    const std::string reason(problem == RowProblem::no_run
                                 ? rows.problem_text()
                                 : kReasons[static_cast<std::size_t>(problem)]);
    const auto known = std::ranges::find(reading_.left_out, reason, &LeftOutRows::reason);
    if (known == reading_.left_out.end())
      reading_.left_out.push_back({reason, 1, fmt::format("{}, {}", header.file, place)});
    else
      ++known->rows;
  }

  [[noreturn]] static void fail(RowProblem problem, const std::string& place,
                                const CsvRecord& record, const CsvHeader& header,
                                std::string_view text) {
    if (problem == RowProblem::text)
      throw FormatError(
          header.file, place,
          text.find('\0') != std::string_view::npos ? "binary data"
                                                    : fmt::format("\"{}\"", shortened(text)),
          fmt::format("a number, with \"{}\" as the decimal mark (--decimal-mark): {}",
                      header.decimal_mark, kLeaveOut));
    const std::size_t found = fields_of(record.text, header.separator).size();
    const std::string columns = counted(header.names.size(), "column");
    if (record.is_cut && problem != RowProblem::too_many)
      throw FormatError(
          header.file, place, fmt::format("the end of the file within a row, in column {}", found),
          columns + ": the file is cut short; get the rest of it, or remove this line");
    throw FormatError(header.file, place, counted(found, "column"),
                      fmt::format("{}, as the header in line {} has (--separator): {}", columns,
                                  header.line, kLeaveOut));
  }

  const MeasurementCsvOptions& options_;
  MeasurementReading& reading_;
  const std::uint64_t total_;
  std::optional<ColumnPlan> plan_;
  std::optional<TableFilling> filling_;
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
    const std::string name = standard_input ? std::string(kStandardInput) : file.string();
    const int descriptor = standard_input ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                          : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw SystemError("read", name, errno);
    const OpenFile open(descriptor, name);
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

}  // namespace huddle
