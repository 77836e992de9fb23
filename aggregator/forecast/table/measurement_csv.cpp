#include "aggregator/forecast/table/measurement_csv.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <unordered_map>
#include <utility>

#include "aggregator/forecast/table/detail/columns.hpp"
#include "aggregator/forecast/table/detail/csv_header.hpp"
#include "aggregator/forecast/table/detail/csv_records.hpp"
#include "aggregator/forecast/table/detail/given_values.hpp"
#include "aggregator/forecast/table/detail/row_reader.hpp"
#include "profiles/files/open_file.hpp"
#include "profiles/vocabulary/counted.hpp"
#include "profiles/vocabulary/error.hpp"

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
    while (table_.rows() > most_rows_ && stride_ < kMostStride) thin();
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
  static constexpr std::uint64_t kMostStride = std::uint64_t{1} << 62U;
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
    if (reading_.kept == 0) fail_without_rows();
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

  [[noreturn]] void fail_without_rows() const {
    if (reading_.left_out.empty()) throw Error("there are no rows");
    const auto most = std::ranges::max_element(reading_.left_out, {}, &LeftOutRows::rows);
    throw Error(fmt::format("none of {} rows can be used: in {} {}, first in {}", reading_.rows,
                            most->rows, most->reason, most->first));
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
  reader.read(
      [&, at = std::size_t{0}](std::size_t size) mutable {
        at += size;
        return std::string(at - size < text.size() ? text.substr(at - size, size) : "");
      },
      std::string(file));
  return reader.finish();
}

}  // namespace huddle
