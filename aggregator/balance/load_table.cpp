#include "aggregator/balance/load_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "profiles/files/atomic_file.hpp"
#include "profiles/import/column_words.hpp"
#include "profiles/import/line_scanner.hpp"
#include "profiles/import/measurement_unit.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::balance {
namespace {

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

/// A load in seconds, before its unit.
double load_in(const imports::LineScanner& scanner) {
  const std::optional<double> value = number_in(scanner.field());
  if (!value || !std::isfinite(*value) || *value < 0) scanner.fail("a time of 0 or more");
  return *value;
}

char separator_of(std::string_view line) {
  for (const char separator : {',', ';', '\t'})
    if (line.find(separator) != std::string_view::npos) return separator;
  return ' ';
}

bool next_field(imports::LineScanner& scanner, char separator) {
  if (separator != ' ') return scanner.next_field(separator);
  // Runs of blanks are one separator.
  while (scanner.next_field(' '))
    if (!scanner.field().empty()) return true;
  return false;
}

struct Columns {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t iteration = kNone;
  std::size_t rank = kNone;
  std::size_t object = kNone;
  std::size_t load = kNone;
  double unit = 1;
  std::size_t count = 0;
};

/// "load_ms", "time [s]" without the unit; its factor, if it is one of a time.
std::pair<std::string, double> without_unit(std::string_view name) {
  const auto is_time = [](std::string_view letters) {
    return imports::has_word("load time duration computation work walltime", letters);
  };
  if (const auto known = imports::unit_in_name(name, imports::Dimension::time)) {
    const std::string letters = imports::letters_of(known->rest);
    if (letters.empty() || is_time(letters)) return {"load", known->unit.in_base(1)};
  }
  const std::string letters = imports::letters_of(name);
  if (is_time(letters)) return {"load", 1};
  return {letters, 0};
}

/// Nothing if the line holds numbers only.
std::optional<Columns> named_columns(imports::LineScanner& scanner, char separator) {
  Columns columns;
  bool numbers = true;
  while (next_field(scanner, separator)) {
    const std::size_t at = columns.count++;
    if (number_in(scanner.field())) continue;
    numbers = false;
    const auto [name, unit] = without_unit(scanner.field());
    const auto take = [&](std::size_t& column) {
      if (column != Columns::kNone) scanner.fail("each column once");
      column = at;
    };
    if (imports::has_word("iteration iter step timestep", name))
      take(columns.iteration);
    else if (imports::has_word("rank processor pe proc process mpirank", name))
      take(columns.rank);
    else if (imports::has_word("object chare task obj", name))
      take(columns.object);
    else if (name == "load") {
      take(columns.load);
      columns.unit = unit;
    }
  }
  if (numbers) return {};
  scanner.restart_line();
  const std::string_view missing = columns.iteration == Columns::kNone ? "iteration"
                                   : columns.rank == Columns::kNone    ? "rank"
                                   : columns.load == Columns::kNone    ? "load"
                                                                       : "";
  if (!missing.empty()) {
    next_field(scanner, separator);
    scanner.fail("no column \"" + std::string(missing) + "\"",
                 "columns \"iteration\", \"rank\", \"load\" and perhaps \"object\", or lines of "
                 "numbers only");
  }
  return columns;
}

void refuse_more_loads(const imports::LineScanner& scanner, std::size_t loads) {
  if (loads > LoadTable::kMostLoads)
    scanner.fail(fmt::format("more than {} loads", LoadTable::kMostLoads), "a smaller table");
}

struct Row {
  std::uint64_t iteration;
  std::uint32_t rank;
  std::uint64_t object;
  double load;
  bool has_no_object = false;  // the rank is there, with nothing to do
};

bool is_absent(std::string_view field) {
  return field.empty() || field == "-";
}

LoadTable table_of(const std::vector<Row>& rows, const Columns& columns,
                   const imports::LineScanner& end) {
  LoadTable table;
  table.has_objects = columns.object != Columns::kNone;
  std::vector<std::uint64_t> iterations;
  iterations.reserve(rows.size());
  for (const Row& row : rows) {
    iterations.push_back(row.iteration);
    table.processors = std::max(table.processors, row.rank + 1);
  }
  std::sort(iterations.begin(), iterations.end());
  iterations.erase(std::unique(iterations.begin(), iterations.end()), iterations.end());

  std::unordered_map<std::uint64_t, std::size_t> index;
  if (!table.has_objects) {
    std::vector<bool> seen(table.processors, false);
    for (const Row& row : rows) seen[row.rank] = true;
    for (std::uint32_t rank = 0; rank < table.processors; ++rank) {
      if (!seen[rank])
        end.fail(fmt::format("no row of rank {}, but one of rank {}", rank, table.processors - 1),
                 "each rank's load");
      table.processor_of.push_back(rank);
    }
  }
  std::uint64_t moved = 0;
  for (const Row& row : rows) {
    if (!table.has_objects) break;
    if (row.has_no_object) continue;
    const auto [at, is_new] = index.emplace(row.object, table.processor_of.size());
    if (is_new)
      table.processor_of.push_back(row.rank);
    else if (table.processor_of[at->second] != row.rank)
      ++moved;
  }
  if (moved > 0)
    table.notes.push_back(fmt::format(
        "{} rows have an object on another rank than its first: it is taken to stay there", moved));
  if (table.objects() == 0) end.fail("no object", "an object on some rank");
  if (iterations.size() > LoadTable::kMostLoads / table.objects())
    end.fail(fmt::format("{} iterations of {} loads", iterations.size(), table.objects()),
             fmt::format("at most {} loads", LoadTable::kMostLoads));
  table.loads.assign(iterations.size() * table.objects(), 0);
  for (const Row& row : rows) {
    if (row.has_no_object) continue;
    const auto iteration = static_cast<std::size_t>(
        std::lower_bound(iterations.begin(), iterations.end(), row.iteration) - iterations.begin());
    const std::size_t object = table.has_objects ? index[row.object] : row.rank;
    table.loads[iteration * table.objects() + object] += row.load * columns.unit;
  }
  return table;
}

LoadTable parse_rows(imports::LineScanner& scanner, char separator, const Columns& columns) {
  std::vector<Row> rows;
  while (scanner.next_line()) {
    if (scanner.line().empty()) continue;
    Row row{};
    std::size_t at = 0;
    for (; next_field(scanner, separator); ++at) {
      if (at == columns.iteration)
        row.iteration = scanner.number("the number of an iteration");
      else if (at == columns.rank)
        row.rank = static_cast<std::uint32_t>(
            scanner.number(fmt::format("a rank below {}", LoadTable::kMostProcessors),
                           LoadTable::kMostProcessors - 1));
      else if (at == columns.object && is_absent(scanner.field()))
        row.has_no_object = true;
      else if (at == columns.object)
        row.object = scanner.number("the number of an object");
      else if (at == columns.load)
        row.load = is_absent(scanner.field()) && row.has_no_object ? 0 : load_in(scanner);
    }
    if (at != columns.count)
      scanner.fail(fmt::format("{} columns", at),
                   fmt::format("{}, as in the first line", columns.count));
    if (row.has_no_object && row.load > 0)
      scanner.fail("a load without an object", "the number of an object");
    rows.push_back(row);
    refuse_more_loads(scanner, rows.size());
  }
  if (rows.empty()) scanner.fail("no row", "a row for each iteration and rank");
  return table_of(rows, columns, scanner);
}

LoadTable parse_numbers(imports::LineScanner& scanner, char separator, std::size_t count) {
  LoadTable table;
  table.processors = static_cast<std::uint32_t>(count);
  if (count == 0 || count > LoadTable::kMostProcessors)
    scanner.fail(fmt::format("{} numbers", count),
                 fmt::format("1 to {}", LoadTable::kMostProcessors));
  for (std::uint32_t rank = 0; rank < count; ++rank) table.processor_of.push_back(rank);
  scanner.restart_line();
  do {
    if (scanner.line().empty()) continue;
    std::size_t numbers = 0;
    while (next_field(scanner, separator)) {
      table.loads.push_back(load_in(scanner));
      ++numbers;
    }
    if (numbers != count)
      scanner.fail(fmt::format("{} numbers", numbers),
                   fmt::format("{}, as in the first line", count));
    refuse_more_loads(scanner, table.loads.size());
  } while (scanner.next_line());
  return table;
}

}  // namespace

LoadTable parse_load_table(std::string_view text, std::string_view file) {
  imports::LineScanner scanner(text, file);
  do {
    if (!scanner.next_line()) scanner.fail("no text", "a table of loads");
  } while (scanner.line().empty() || scanner.line().front() == '#');
  const char separator = separator_of(scanner.line());
  std::size_t count = 0;
  if (const std::optional<Columns> columns = named_columns(scanner, separator))
    return parse_rows(scanner, separator, *columns);
  scanner.restart_line();
  while (next_field(scanner, separator)) ++count;
  return parse_numbers(scanner, separator, count);
}

void add_idle_ranks(LoadTable& table, std::uint32_t ranks) {
  if (!table.has_objects || ranks < table.processors || ranks > LoadTable::kMostProcessors)
    throw UsageError(fmt::format(
        "--ranks {}: found a table {} objects of {} ranks, expected one with objects, and a number "
        "from that to {}",
        ranks, table.has_objects ? "with" : "without", table.processors,
        LoadTable::kMostProcessors));
  table.processors = ranks;
}

LoadTable load_load_table(const std::filesystem::path& path) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 30U;
  return parse_load_table(files::read_file(path, kMostBytes), path.string());
}

}  // namespace huddle::balance
