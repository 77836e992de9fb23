#include "aggregator/commands/forecast/rows_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "aggregator/commands/common/machine_on_file.hpp"
#include "aggregator/commands/common/option_values.hpp"
#include "aggregator/forecast/screening/screening.hpp"
#include "aggregator/render/output.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::array<std::string_view, 10> kRoles = {
    "region", "size",           "processes", "threads", "frequency",
    "nodes",  "ranks_per_node", "packages",  "time",    "energy"};
const std::map<std::string, char, std::less<>> kSeparators = {
    {"auto", 0}, {"comma", ','}, {",", ','},   {"semicolon", ';'}, {";", ';'}, {"blank", ' '},
    {" ", ' '},  {"tab", '\t'},  {"\t", '\t'}, {"bar", '|'},       {"|", '|'}};
const std::map<std::string, char, std::less<>> kDecimalMarks = {
    {"auto", 0}, {"point", '.'}, {".", '.'}, {"comma", ','}, {",", ','}};

char character_named(const std::map<std::string, char, std::less<>>& names, const char* option,
                     const std::string& given, const char* expected) {
  const auto found = names.find(given);
  if (found != names.end()) return found->second;
  throw UsageError(fmt::format("{} {}: expected {}", option, shortened(given), expected));
}

// "LEFT=RIGHT" split at the last '=', since a column's name may hold one, or at the first.
std::pair<std::string, std::string> parted(const char* option, const std::string& text,
                                           std::size_t at, const char* expected) {
  if (at == std::string::npos || at == 0 || at + 1 == text.size())
    throw UsageError(fmt::format("{} {}: expected {}", option, shortened(text), expected));
  return {text.substr(0, at), text.substr(at + 1)};
}

bool is_role(std::string_view name) {
  return std::find(kRoles.begin(), kRoles.end(), name) != kRoles.end();
}

std::map<std::string, std::string, std::less<>> by_role(const char* option,
                                                        const std::vector<std::string>& given,
                                                        const char* expected) {
  std::map<std::string, std::string, std::less<>> values;
  for (const std::string& text : given) {
    auto [role, value] = parted(option, text, text.find('='), expected);
    const auto [known, is_new] = values.emplace(role, value);
    if (!is_new)
      throw UsageError(fmt::format("{} {}: {} is given already, as {}", option, shortened(text),
                                   role, shortened(known->second)));
  }
  return values;
}

std::string left_out_of(const std::vector<LeftOutRows>& left_out) {
  std::string text;
  for (const LeftOutRows& rows : left_out)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", rows.reason, rows.rows);
  return text;
}

std::string files_named(const std::vector<std::string>& files) {
  const std::string first = files[0] == "-" ? "standard input" : shortened(files[0], 200);
  if (files.size() == 1) return first;
  return fmt::format("{} and {} more file{}", first, files.size() - 1,
                     files.size() == 2 ? "" : "s");
}

// Regions that screening has left without rows are of no interest any more.
void drop_unused_regions(MeasurementTable& table, OutermostRegions& nesting) {
  constexpr std::uint32_t kUnused = ~0U;
  std::vector<std::uint32_t> number(table.regions.size(), kUnused);
  for (const std::uint32_t region : table.region) number[region] = 0;
  std::vector<std::string> used;
  for (std::size_t region = 0; region < number.size(); ++region) {
    if (number[region] == kUnused) continue;
    number[region] = static_cast<std::uint32_t>(used.size());
    nesting.time_inside[used.size()] = nesting.time_inside[region];
    nesting.energy_inside[used.size()] = nesting.energy_inside[region];
    used.push_back(std::move(table.regions[region]));
  }
  nesting.time_inside.resize(used.size());
  nesting.energy_inside.resize(used.size());
  table.regions = std::move(used);
  for (std::uint32_t& region : table.region) region = number[region];
}

}  // namespace

void RowsOptions::add_to(cli::App& command) {
  const auto repeated = [](cli::Option* option) { option->expected(1)->take_all(); };
  command.add_option("ROWS", files,
                     "files of measured rows with the same columns: CSV with a header; each row is "
                     "one region of the program (or all of it) in one run");
  repeated(command.add_option(
      "--column", columns,
      "ROLE=NAME[:UNIT]: the column of that name holds the region, size, processes, threads, "
      "frequency, nodes, ranks_per_node, packages (used on each node), time or energy, in this "
      "unit; may be given several times, for energy also with "
      "several columns, which are added up (default: what the names and units in the header say)"));
  repeated(command.add_option(
      "--unit", units,
      "NAME=UNIT: what the column of that name is in, such as ms, Wh or MHz; may be given several "
      "times (default: what the header or the cells say, else s and J)"));
  repeated(command.add_option(
      "--set", values,
      "ROLE=VALUE: what no column tells, for all rows: the size, processes, threads, frequency, "
      "nodes, ranks_per_node, packages or region; may be given several times"));
  repeated(command.add_option(
      "--from-name", name_patterns,
      "ROLE=PATTERN: the same, from the name of each file: {} stands for the value and * for any "
      "text, as in size='run_{}_*.csv'; may be given several times"));
  repeated(command.add_option(
      "--keep-column", kept_columns,
      "NAME: of the columns without a role, read those that are named only; may be given several "
      "times (default: all that hold numbers; of files with hundreds of columns fewer rows fit "
      "into memory)"));
  command
      .add_option("--separator", separator,
                  "what stands between two fields: comma, semicolon, tab, bar (|), blank or auto")
      ->capture_default_str();
  command
      .add_option("--decimal-mark", decimal_mark,
                  "what stands before the decimals: point, comma or auto")
      ->capture_default_str();
  command.add_flag("--leave-out-bad-rows", leave_out_bad_rows,
                   "leave out rows with text where a number should be; without this, they are an "
                   "error");
  repeated(
      command
          .add_option("--exclusive", exclusive,
                      "time or energy: what regions inside of others take is not part of this "
                      "column, and so all are added up; may be given for both (default: what the "
                      "column's name says)")
          ->check(cli::IsMember({"time", "energy"})));
  repeated(command.add_option(
      "--region", regions,
      "NAME: use the rows of this region only; may be given several times (default: all regions)"));
  command.add_option(
      "--least-share", least_share,
      "regions with less than this share of the program's energy (of its time, if no energy was "
      "measured) are left out; regions that --region names stay (default: 1%; 0% where all regions "
      "are predicted together, by --at or best)");
  command.add_option(
      "--machine", machine,
      "the machine that the runs were on: a file or a known name (huddle-machine(1)), whose cores, "
      "packages and nodes bound what is possible, and whose idle power is used for energy if it "
      "was measured or given (default: nothing is known of the nodes)");
}

MeasurementCsvOptions RowsOptions::csv_options() const {
  if (files.empty())
    throw UsageError("ROWS is missing: expected at least one file of measured rows");
  MeasurementCsvOptions options;
  for (const std::string& column : columns) {
    constexpr const char* kExpected =
        "ROLE=NAME[:UNIT] with region, size, processes, threads, frequency, nodes, "
        "ranks_per_node, packages, time or energy as ROLE";
    const auto [role, name] = parted("--column", column, column.find('='), kExpected);
    if (!is_role(role))
      throw UsageError(fmt::format("--column {}: expected {}", shortened(column), kExpected));
    std::vector<std::string>& names = options.columns[role];
    if (!names.empty() && role != "energy")
      throw UsageError(
          fmt::format("--column {}: {} has a column already, {}; only energy may have "
                      "several",
                      shortened(column), role, shortened(names[0])));
    names.push_back(name);
  }
  for (const std::string& unit : units) {
    auto [name, text] = parted("--unit", unit, unit.rfind('='), "NAME=UNIT");
    options.units[std::move(name)] = std::move(text);
  }
  options.values = by_role("--set", values, "ROLE=VALUE, such as threads=1");
  options.name_patterns =
      by_role("--from-name", name_patterns, "ROLE=PATTERN, such as size='run_{}.csv'");
  options.variables = kept_columns;
  options.exclusive = {exclusive.begin(), exclusive.end()};
  options.separator = character_named(kSeparators, "--separator", separator,
                                      "comma, semicolon, tab, bar, blank or auto");
  options.decimal_mark =
      character_named(kDecimalMarks, "--decimal-mark", decimal_mark, "point, comma or auto");
  options.leave_out_bad_rows = leave_out_bad_rows;
  return options;
}

RowsRead read_rows(const RowsOptions& options, RowsFor purpose) {
  MeasurementCsvOptions csv = options.csv_options();
  std::optional<Machine> machine;
  if (!options.machine.empty()) machine = machine_named(options.machine);
  ScreeningSettings screening;
  screening.regions = options.regions;
  screening.sums = purpose == RowsFor::program;
  if (options.least_share)
    screening.least_share = share_from("--least-share", *options.least_share);
  else if (purpose == RowsFor::program)
    screening.least_share = 0;
  Progress progress("percent of the rows read:");
  csv.progress = [&](std::uint64_t read, std::uint64_t total) {
    if (total > 0)
      progress.show(
          static_cast<std::size_t>(100 * (static_cast<double>(read) / static_cast<double>(total))),
          100);
  };
  RowsRead rows;
  rows.table = read_measurements({options.files.begin(), options.files.end()}, csv, rows.reading);
  try {
    rows.screening = screen(rows.table, screening);
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", files_named(options.files), error.what()));
  }
  drop_unused_regions(rows.table, rows.screening.nesting);
  if (rows.table.rows() == 0) {
    std::vector<LeftOutRows> reasons = rows.reading.left_out;
    reasons.insert(reasons.end(), rows.screening.left_out.begin(), rows.screening.left_out.end());
    throw Error(fmt::format("{}: none of {} rows is fit to learn from: {}",
                            files_named(options.files), rows.reading.rows,
                            reasons.empty() ? "there are none" : left_out_of(reasons)));
  }
  if (machine) {
    rows.machine = machine_layout(*machine);
    rows.packages_by_machine = add_packages(rows.table, *rows.machine);
  }
  return rows;
}

}  // namespace huddle
