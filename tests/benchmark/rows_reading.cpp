// Measures how fast measured rows are read from CSV, beside Python's pandas, or its csv module
// where there is no pandas.

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aggregator/forecast/table/measurement_csv.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/benchmark/benchmark_main.hpp"

namespace huddle {
namespace {

constexpr std::string_view kUsage =
    "usage: rows_reading [--rows N] FOLDER\n"
    "Writes files of measured rows below FOLDER: N rows (default 256284) of 13 columns, and N/8 "
    "of\n"
    "200, reads each, prints what that took on one core, and removes them.\n"
    "  MB/s of CPU time, the best of three; peak: the largest resident memory of our reading\n";

struct Options {
  std::uint64_t rows = 256'284;
  std::string folder;
};

Options parsed(const std::vector<std::string_view>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (word == "--rows" && i + 1 < arguments.size()) {
      options.rows = number_from(arguments[++i], 8);
    } else if (word.starts_with("-") || !options.folder.empty()) {
      throw UsageError(fmt::format("\"{}\" is not understood", word));
    } else {
      options.folder = word;
    }
  }
  if (options.folder.empty()) throw UsageError("a folder is missing");
  return options;
}

// A file that is removed with the object.
class RowsFile {
 public:
  explicit RowsFile(std::filesystem::path path)
      : path_(std::move(path)), file_(std::fopen(path_.c_str(), "w")) {
    if (file_ == nullptr) throw SystemError("write", path_.string(), errno);
  }
  ~RowsFile() {
    if (file_ != nullptr) std::fclose(file_);
    std::error_code error;
    std::filesystem::remove(path_, error);
  }
  RowsFile(const RowsFile&) = delete;
  RowsFile& operator=(const RowsFile&) = delete;

  void write(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size())
      throw SystemError("write", path_.string(), errno);
  }
  void close() {
    if (std::fclose(std::exchange(file_, nullptr)) != 0)
      throw SystemError("write", path_.string(), errno);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::FILE* file_;
};

// The columns of the third paper and as many counters as it takes.
std::string header(std::size_t columns) {
  std::string text = "region,size,processes,threads,time_s,exclusive_s,energy_j,calls";
  for (std::size_t i = 8; i < columns; ++i) text += fmt::format(",counter_{}", i);
  return text + '\n';
}

std::string row(std::uint64_t number, std::size_t columns, std::mt19937_64& random) {
  std::uniform_real_distribution<double> share(0, 1);
  std::string text = fmt::format("region_{},{},4,{},{:.9f},{:.9f},{:.6f},{}", number % 24,
                                 4096 + number % 897, 1U << (number % 6), 10 * share(random),
                                 share(random), 1000 * share(random), random() % 1000);
  for (std::size_t i = 8; i < columns; ++i)
    text += fmt::format(",{}", random() >> (24 + 3 * (i % 8)));
  return text + '\n';
}

void write_rows(RowsFile& file, std::uint64_t rows, std::size_t columns) {
  std::mt19937_64 random(1);
  file.write(header(columns));
  for (std::uint64_t i = 0; i < rows; ++i) file.write(row(i, columns, random));
  file.close();
}

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double read_by_us(const std::filesystem::path& file, std::uint64_t rows) {
  double best = 1e300;
  for (int i = 0; i < 3; ++i) {
    const double begin = cpu_seconds();
    forecast::MeasurementReading reading;
    const forecast::MeasurementTable table = forecast::read_measurements({file}, {}, reading);
    best = std::min(best, cpu_seconds() - begin);
    if (table.rows() != rows || reading.rows != rows)
      throw Error(fmt::format("{} rows read of {}", table.rows(), rows));
  }
  return std::max(best, 1e-9);
}

struct Peer {
  std::string name;
  double seconds = 0;
  std::uint64_t rows = 0;
};

constexpr std::string_view kPeer =
    "import sys, time\n"
    "file = sys.argv[1]\n"
    "def by_csv():\n"
    "    import csv\n"
    "    rows = 0\n"
    "    with open(file, newline='') as lines:\n"
    "        reader = csv.reader(lines)\n"
    "        columns = [[] for _ in next(reader)]\n"
    "        for row in reader:\n"
    "            columns[0].append(row[0])\n"
    "            for column, cell in zip(columns[1:], row[1:]): column.append(float(cell))\n"
    "    return len(columns[0])\n"
    "try:\n"
    "    import pandas\n"
    "    name, read = 'pandas', lambda: len(pandas.read_csv(file))\n"
    "except ImportError:\n"
    "    name, read = 'csv', by_csv\n"
    "best = 1e300\n"
    "for _ in range(3 if name == 'pandas' else 1):\n"
    "    begin = time.process_time()\n"
    "    rows = read()\n"
    "    best = min(best, time.process_time() - begin)\n"
    "print(name, best, rows)\n";

// Debian's python3, which its packages are for. Absent if there is none.
std::optional<Peer> read_by_peer(const std::filesystem::path& file) {
  const std::filesystem::path script = file.string() + ".py";
  RowsFile written(script);
  written.write(std::string(kPeer));
  written.close();
  const std::string command =
      fmt::format("/usr/bin/python3 '{}' '{}' 2>/dev/null", script.string(), file.string());
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                             ::pclose);
  std::array<char, 16> name{};
  Peer peer;
  unsigned long rows = 0;
  if (!pipe || std::fscanf(pipe.get(), "%15s %lf %lu", name.data(), &peer.seconds, &rows) != 3)
    return std::nullopt;
  peer.name = name.data();
  peer.rows = rows;
  return peer;
}

double peak_mib() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void measure(const std::filesystem::path& folder, std::uint64_t rows, std::size_t columns) {
  RowsFile file(folder / fmt::format("rows_reading.{}.csv", ::getpid()));
  write_rows(file, rows, columns);
  const double megabytes = static_cast<double>(std::filesystem::file_size(file.path())) / 1e6;
  const double ours = read_by_us(file.path(), rows);
  const double peak = peak_mib();
  fmt::print("{:>9} {:>8} {:>8.1f} {:>7.3f} {:>7.1f} {:>9.1f}", rows, columns, megabytes, ours,
             megabytes / ours, peak);
  if (const auto peer = read_by_peer(file.path())) {
    if (peer->rows != rows) throw Error(fmt::format("{} read {} rows", peer->name, peer->rows));
    fmt::print(" {:>7} {:>7.1f}\n", peer->name, megabytes / peer->seconds);
  } else {
    fmt::print(" {:>7}\n", "absent");
  }
}

void run(const Options& options) {
  fmt::print("{:>9} {:>8} {:>8} {:>7} {:>7} {:>9} {:>7} {:>7}\n", "rows", "columns", "MB", "s",
             "MB/s", "peak MiB", "peer", "MB/s");
  measure(options.folder, options.rows, 13);
  measure(options.folder, options.rows / 8, 200);
}

}  // namespace
}  // namespace huddle

int main(int argc, char** argv) {
  return huddle::benchmark_main(
      "rows_reading", huddle::kUsage, argc, argv,
      [](const auto& arguments) { huddle::run(huddle::parsed(arguments)); });
}
