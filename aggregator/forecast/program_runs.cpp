#include "aggregator/forecast/program_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <span>

#include "aggregator/scaling/factors.hpp"
#include "aggregator/scaling/law_samples.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// Of the program: a region that is less may be missing somewhere.
constexpr double kMatters = 0.01;

// Rows of one configuration, by region.
using RegionRows = std::map<std::uint32_t, std::vector<std::size_t>>;

std::optional<std::uint32_t> region_number(const MeasurementTable& table,
                                           const std::string& region) {
  if (region.empty()) return {};
  const auto found = std::ranges::find(table.regions, region);
  if (found == table.regions.end())
    throw Error("no row is of region \"" + shortened(region) +
                "\": name one that is there, or none for all regions together");
  return static_cast<std::uint32_t>(found - table.regions.begin());
}

std::map<Factors, RegionRows> by_configuration(const MeasurementTable& table,
                                               const std::string& region) {
  const std::optional<std::uint32_t> wanted = region_number(table, region);
  const std::vector<Configuration> where = configurations_of(table);
  std::map<Factors, RegionRows> rows;
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (!wanted || table.region[row] == *wanted)
      rows[factors_of(where[row])][table.region[row]].push_back(row);
  return rows;
}

double median_at(const std::vector<double>& values, const std::vector<std::size_t>& rows) {
  std::vector<double> some;
  for (const std::size_t row : rows) some.push_back(values[row]);
  return median_of(std::move(some));
}

// By region: its share of a configuration, the median over those that have it; 0 for regions that
// fewer than half of the configurations have.
std::map<std::uint32_t, double> usual_shares(const std::map<Factors, RegionRows>& rows,
                                             const std::vector<double>& values) {
  std::map<std::uint32_t, std::vector<double>> shares;
  for (const auto& [where, regions] : rows) {
    std::map<std::uint32_t, double> medians;
    double sum = 0;
    for (const auto& [region, of_region] : regions)
      sum += medians[region] = median_at(values, of_region);
    for (const auto& [region, median] : medians)
      if (sum > 0) shares[region].push_back(median / sum);
  }
  std::map<std::uint32_t, double> usual;
  for (auto& [region, some] : shares)
    usual[region] = 2 * some.size() > rows.size() ? median_of(std::move(some)) : 0;
  return usual;
}

bool complete(const RegionRows& regions, const std::map<std::uint32_t, double>& usual) {
  double missing = 0;
  for (const auto& [region, share] : usual)
    if (!regions.contains(region)) missing += share;
  return missing < kMatters;
}

// The largest region that the configuration lacks. Precondition: it is not complete.
std::uint32_t missing_of(const RegionRows& regions, const std::map<std::uint32_t, double>& usual) {
  auto largest = usual.end();
  for (auto known = usual.begin(); known != usual.end(); ++known)
    if (!regions.contains(known->first) &&
        (largest == usual.end() || known->second > largest->second))
      largest = known;
  return largest->first;
}

// What is left out in silence would be missed.
void remark_incomplete(ProgramRuns& runs, const std::map<Factors, RegionRows>& rows,
                       const std::map<std::uint32_t, double>& usual,
                       const std::vector<std::string>& names) {
  const auto lacks = [&](const auto& entry) { return !complete(entry.second, usual); };
  const auto first = std::find_if(rows.begin(), rows.end(), lacks);
  if (first == rows.end()) return;
  const Configuration where = configuration_of(first->first);
  const std::string what = fmt::format(
      "regions that take 1 % or more of the others (size {:.10g}, {:.10g} x {:.10g} "
      "has no \"{}\")",
      where.size, where.processes, where.threads,
      shortened(names[missing_of(first->second, usual)]));
  const auto lacking = std::count_if(rows.begin(), rows.end(), lacks);
  runs.remarks.push_back(
      static_cast<std::size_t>(lacking) == rows.size()
          ? fmt::format("all {} configurations lack {}: sums over regions may be too small",
                        rows.size(), what)
          : fmt::format("{} of {} configurations {} left out of the program's forecast for want "
                        "of {}",
                        lacking, rows.size(), lacking == 1 ? "is" : "are", what));
}

// The sums over regions, one for each repetition.
std::vector<double> sums_of(const RegionRows& regions, const std::vector<double>& values) {
  const std::size_t repetitions = regions.begin()->second.size();
  const bool paired = std::all_of(regions.begin(), regions.end(), [&](const auto& entry) {
    return entry.second.size() == repetitions;
  });
  std::vector<double> sums(paired ? repetitions : 1, 0.0);
  for (const auto& [region, rows] : regions)
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] += paired ? values[rows[i]] : median_at(values, rows);
  return sums;
}

void add_runs(ProgramRuns& runs, const Factors& where, const RegionRows& regions,
              const std::vector<double>* time, const std::vector<double>* energy) {
  const std::vector<double> times = time ? sums_of(regions, *time) : std::vector<double>();
  const std::vector<double> energies = energy ? sums_of(regions, *energy) : std::vector<double>();
  bool any = false;
  for (std::size_t i = 0; i < std::max(times.size(), energies.size()); ++i) {
    if ((time && !(times[i] > 0)) || (energy && !(energies[i] > 0))) continue;
    runs.where.push_back(configuration_of(where));
    if (time) runs.time_s.push_back(times[i]);
    if (energy) runs.energy_j.push_back(energies[i]);
    any = true;
  }
  if (!any) return;
  runs.configurations.push_back(configuration_of(where));
  std::size_t count = 0;
  for (const auto& [region, rows] : regions) count += rows.size();
  runs.rows.push_back(count);
}

}  // namespace

std::vector<Configuration> configurations_of(const MeasurementTable& table) {
  std::vector<Configuration> where(table.rows());
  const auto take = [&](ColumnRole role, double Configuration::*factor) {
    if (const MeasuredColumn* column = table.find(role))
      for (std::size_t row = 0; row < where.size(); ++row) where[row].*factor = column->values[row];
  };
  take(ColumnRole::size, &Configuration::size);
  take(ColumnRole::processes, &Configuration::processes);
  take(ColumnRole::threads, &Configuration::threads);
  take(ColumnRole::frequency, &Configuration::frequency_ghz);
  return where;
}

ProgramRuns runs_of(const MeasurementTable& table, const std::string& region) {
  const MeasuredColumn* time = table.find(ColumnRole::time);
  const MeasuredColumn* energy = table.find(ColumnRole::energy);
  if (time == nullptr && energy == nullptr)
    throw Error("the rows have neither time nor energy: say which columns hold them");
  const std::map<Factors, RegionRows> rows = by_configuration(table, region);
  const std::map<std::uint32_t, double> usual =
      usual_shares(rows, time != nullptr ? time->values : energy->values);
  ProgramRuns runs;
  for (const bool all : {false, true}) {  // all: better than nothing
    if (!runs.where.empty()) break;
    for (const auto& [where, regions] : rows)
      if (all || complete(regions, usual))
        add_runs(runs, where, regions, time != nullptr ? &time->values : nullptr,
                 energy != nullptr ? &energy->values : nullptr);
  }
  if (runs.where.empty())
    throw Error("no row has a time or energy above 0: give rows that were measured");
  remark_incomplete(runs, rows, usual, table.regions);
  return runs;
}

}  // namespace huddle
