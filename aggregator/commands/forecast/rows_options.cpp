#include "aggregator/commands/forecast/rows_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "aggregator/commands/common/option_values.hpp"
#include "aggregator/render/output.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

// "ROLE=VALUE" split at the first '=', since a column's name may hold one.
std::pair<std::string, std::string> parted(const char* option, const std::string& text,
                                           const char* expected) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size())
    throw UsageError(fmt::format("{} {}: expected {}", option, shortened(text), expected));
  return {text.substr(0, at), text.substr(at + 1)};
}

std::string files_named(const std::vector<std::string>& files) {
  const std::string first = files[0] == "-" ? "standard input" : shortened(files[0], 200);
  if (files.size() == 1) return first;
  return fmt::format("{} and {} more file{}", first, files.size() - 1,
                     files.size() == 2 ? "" : "s");
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
      "several columns, which are added up; \"-=NAME\": it has no role (default: what the names "
      "and "
      "units in the header say)"));
  repeated(command.add_option(
      "--set", values,
      "ROLE=VALUE: what no column tells, for all rows: the size, processes, threads, frequency, "
      "nodes, ranks_per_node, packages or region; may be given several times"));
  repeated(command.add_option(
      "--keep-column", kept_columns,
      "NAME: of the columns without a role, read those that are named only; may be given several "
      "times (default: all that hold numbers)"));
  repeated(command.add_option(
      "--region", regions,
      "NAME: use the rows of this region only; may be given several times (default: all regions)"));
  command.add_option(
      "--least-share", least_share,
      "regions with less than this share of the program's energy (of its time, if no energy was "
      "measured) are left out; regions that --region names stay (default: 1%; 0% with --at)");
}

forecast::MeasurementCsvOptions RowsOptions::csv_options() const {
  if (files.empty())
    throw UsageError("ROWS is missing: expected at least one file of measured rows");
  forecast::MeasurementCsvOptions options;
  for (const std::string& column : columns) {
    auto [role, name] =
        parted("--column", column,
               "ROLE=NAME[:UNIT] with region, size, processes, threads, frequency, nodes, "
               "ranks_per_node, packages, time or energy as ROLE, or - for none");
    options.columns[std::move(role)].push_back(std::move(name));
  }
  for (const std::string& text : values) {
    auto [role, value] = parted("--set", text, "ROLE=VALUE, such as threads=1");
    const auto [known, is_new] = options.values.emplace(role, value);
    if (!is_new)
      throw UsageError(fmt::format("--set {}: {} is given already, as {}", shortened(text), role,
                                   shortened(known->second)));
  }
  options.variables = kept_columns;
  return options;
}

RowsRead read_rows(const RowsOptions& options, RowsFor purpose) {
  forecast::MeasurementCsvOptions csv = options.csv_options();
  forecast::ScreeningSettings screening;
  screening.regions = options.regions;
  screening.sums = purpose == RowsFor::program;
  if (options.least_share)
    screening.least_share = share_from("--least-share", *options.least_share);
  else if (purpose == RowsFor::program)
    screening.least_share = 0;
  render::Progress progress("percent of the rows read:");
  csv.progress = [&](std::uint64_t read, std::uint64_t total) {
    if (total > 0)
      progress.show(
          static_cast<std::size_t>(100 * (static_cast<double>(read) / static_cast<double>(total))),
          100);
  };
  RowsRead rows;
  rows.table =
      forecast::read_measurements({options.files.begin(), options.files.end()}, csv, rows.reading);
  try {
    rows.screening = forecast::screen(rows.table, screening);
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", files_named(options.files), error.what()));
  }
  return rows;
}

}  // namespace huddle::cli
