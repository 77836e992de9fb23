#include "aggregator/forecast/table/measurement_csv.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "aggregator/forecast/table/column_plan.hpp"
#include "aggregator/forecast/table/csv_record.hpp"
#include "aggregator/forecast/table/file_header.hpp"
#include "aggregator/forecast/table/given_values.hpp"
#include "aggregator/forecast/table/left_out_rows.hpp"
#include "aggregator/forecast/table/record_source.hpp"
#include "aggregator/forecast/table/row_reader.hpp"
#include "aggregator/forecast/table/table_filling.hpp"
#include "profiles/files/open_file.hpp"
#include "profiles/vocabulary/counted.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::string_view kLeaveOut =
    "correct it, or leave out all rows like this with --leave-out-bad-rows";

// Reads files one after the other into one table.
class Reader {
 public:
  Reader(const MeasurementCsvOptions& options, MeasurementReading& reading, std::uint64_t total)
      : options_(options), reading_(reading), total_(total) {
    reading_ = {};
  }

  void read(RecordSource::Read read_bytes, std::string file) {
    RecordSource source(
        [&](char* to, std::size_t size) {
          const std::size_t got = read_bytes(to, size);
          reading_.bytes += got;
          if (options_.progress) options_.progress(reading_.bytes, total_);
          return got;
        },
        std::move(file));
    const FileHeader header = read_header(source, options_);
    ColumnPlan plan = plan_columns(header, options_, plan_ ? &*plan_ : nullptr);
    if (!plan_) {
      reading_.remarks = plan.remarks;
      filling_.emplace(plan.columns, options_);
      plan_ = plan;
    }
    RowReader rows(header, plan);
    while (source.next()) read_record(source, header, rows);
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
  void read_record(const RecordSource& source, const FileHeader& header, RowReader& rows) {
    const std::string_view record = source.record();
    if (is_empty_line(record) || record.starts_with('#')) return;
    const RowProblem problem = rows.read(record);
    if (problem != RowProblem::none && is_header_again(record, header)) return;
    ++reading_.rows;
    if (problem == RowProblem::none)
      filling_->add(rows.region(), rows.values());
    else
      leave_out(problem, source, header, rows);
  }

  // Files with the same header were put together.
  static bool is_header_again(std::string_view record, const FileHeader& header) {
    return record == header.text;
  }

  void leave_out(RowProblem problem, const RecordSource& source, const FileHeader& header,
                 const RowReader& rows) {
    if (!is_always_left_out(problem, source) && !options_.leave_out_bad_rows)
      fail(problem, source, header, rows);
    const std::string_view reason =
        problem == RowProblem::no_run ? rows.problem_reason() : reason_of(problem);
    count_left_out(reading_.left_out, reason, [&] {
      return fmt::format("{}, {}", header.file, place_of(problem, source, header, rows));
    });
  }

  // A last line that ends in a missing value and without a line end was probably cut.
  static bool is_always_left_out(RowProblem problem, const RecordSource& source) {
    return problem == RowProblem::no_run || problem == RowProblem::not_finite ||
           (problem == RowProblem::missing && !source.is_cut());
  }

  static std::string_view reason_of(RowProblem problem) {
    switch (problem) {
      case RowProblem::missing:
        return "a value is missing";
      case RowProblem::not_finite:
        return "not a finite number";
      case RowProblem::text:
        return "text where a number is expected";
      case RowProblem::too_few:
        return "too few columns";
      default:
        return "too many columns";
    }
  }

  static std::string place_of(RowProblem problem, const RecordSource& source,
                              const FileHeader& header, const RowReader& rows) {
    if (problem == RowProblem::too_few || problem == RowProblem::too_many)
      return fmt::format("line {}", source.line());
    return header.place(source.line(), rows.problem_column());
  }

  [[noreturn]] static void fail(RowProblem problem, const RecordSource& source,
                                const FileHeader& header, const RowReader& rows) {
    const std::string place = place_of(problem, source, header, rows);
    const std::size_t found = fields_of(source.record(), header.separator).size();
    if (problem == RowProblem::text)
      throw FormatError(header.file, place, found_text(rows), expected_number(header));
    if (source.is_cut() && problem != RowProblem::too_many)
      throw FormatError(header.file, place,
                        fmt::format("the end of the file within a row, in column {}", found),
                        fmt::format("{}: the file is cut short; get the rest of it, or "
                                    "remove this line",
                                    counted(header.names.size(), "column")));
    throw FormatError(header.file, place, counted(found, "column"),
                      fmt::format("{}, as the header in line {} has: {}",
                                  counted(header.names.size(), "column"), header.line, kLeaveOut));
  }

  static std::string found_text(const RowReader& rows) {
    if (rows.problem_text().find('\0') != std::string::npos) return "binary data";
    return fmt::format("\"{}\"", shortened(rows.problem_text()));
  }

  static std::string expected_number(const FileHeader& header) {
    return fmt::format("a number, with \"{}\" as the decimal mark (--decimal-mark): {}",
                       header.decimal_mark, kLeaveOut);
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

bool is_standard_input(const std::filesystem::path& file) {
  return file == "-";
}

std::string name_for_messages(const std::filesystem::path& file) {
  return is_standard_input(file) ? std::string(kStandardInput) : file.string();
}

// 0 if one of them is no regular file.
std::uint64_t bytes_of(const std::vector<std::filesystem::path>& files) {
  std::uint64_t total = 0;
  for (const std::filesystem::path& file : files) {
    struct stat status {};
    if (is_standard_input(file) || ::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
      return 0;
    total += static_cast<std::uint64_t>(status.st_size);
  }
  return total;
}

std::size_t read_descriptor(int descriptor, const std::string& name, char* to, std::size_t size) {
  while (true) {
    const ssize_t got = ::read(descriptor, to, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw SystemError("read", name, errno);
  }
}

}  // namespace

MeasurementTable read_measurements(const std::vector<std::filesystem::path>& files,
                                   const MeasurementCsvOptions& options,
                                   MeasurementReading& reading) {
  if (files.empty()) throw UsageError("no file of rows is named");
  check_given_values(options);
  Reader reader(options, reading, bytes_of(files));
  for (const std::filesystem::path& file : files) {
    const std::string name = name_for_messages(file);
    const int descriptor = is_standard_input(file) ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                                   : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw SystemError("read", name, errno);
    const OpenFile open(descriptor, name);
    ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
    reader.read(
        [&](char* to, std::size_t size) { return read_descriptor(descriptor, name, to, size); },
        name);
  }
  return reader.finish();
}

MeasurementTable parse_measurements(std::string_view text, std::string_view file,
                                    const MeasurementCsvOptions& options,
                                    MeasurementReading& reading) {
  check_given_values(options);
  Reader reader(options, reading, text.size());
  std::string_view rest = text;
  reader.read(
      [&](char* to, std::size_t size) {
        const std::size_t part = std::min(size, rest.size());
        if (part > 0) std::memcpy(to, rest.data(), part);
        rest.remove_prefix(part);
        return part;
      },
      std::string(file));
  return reader.finish();
}

}  // namespace huddle
