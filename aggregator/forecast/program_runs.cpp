#include "aggregator/forecast/program_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "aggregator/forecast/laws/configuration.hpp"
#include "aggregator/forecast/laws/law_samples.hpp"
#include "aggregator/forecast/nested_regions.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::forecast {
namespace {

// Share of the program: a region that is less may be missing somewhere.
constexpr double kMatters = 0.01;

// Rows of one configuration, by region.
using RegionRows = std::map<std::uint32_t, std::vector<std::size_t>>;

// `passed_over`: by region. A configuration that has such regions only has an entry without rows.
std::map<Factors, RegionRows> by_configuration(const MeasurementTable& table,
                                               const std::vector<bool>& passed_over) {
  const std::vector<Configuration> where = configurations_of(table);
  std::map<Factors, RegionRows> rows;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    RegionRows& regions = rows[factors_of(where[row])];
    if (!passed_over[table.region[row]]) regions[table.region[row]].push_back(row);
  }
  return rows;
}

double median_at(const std::vector<double>& values, const std::vector<std::size_t>& rows) {
  std::vector<double> some;
  for (const std::size_t row : rows) some.push_back(values[row]);
  return median_of(std::move(some));
}

// Indexed by region: its share of a configuration, the median over those that have it; 0 for
// regions that fewer than half of the configurations have.
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

// The rows that are added up for a target, by configuration.
struct CountedRows {
  std::map<Factors, RegionRows> rows;
  std::map<std::uint32_t, double> usual;

  CountedRows(const MeasurementTable& table, const std::vector<double>& values,
              const std::vector<bool>& passed_over)
      : rows(by_configuration(table, passed_over)), usual(usual_shares(rows, values)) {}
};

// Measurements, by row of the table; null if it was not.
struct MeasuredValues {
  const std::vector<double>* time = nullptr;
  const std::vector<double>* energy = nullptr;
};

// Configurations that are left out in silence would be missed.
void remark_incomplete(ProgramRuns& runs, const CountedRows& counted,
                       const std::vector<std::string>& names) {
  const std::map<Factors, RegionRows>& rows = counted.rows;
  const auto lacks = [&](const auto& entry) { return !complete(entry.second, counted.usual); };
  const auto first = std::find_if(rows.begin(), rows.end(), lacks);
  if (first == rows.end()) return;
  const Configuration where = configuration_of(first->first);
  const std::string what = fmt::format(
      "regions that take 1 % or more of the others (size {:.10g}, {:.10g} x {:.10g} "
      "has no \"{}\")",
      where.size, where.processes, where.threads,
      shortened(names[missing_of(first->second, counted.usual)]));
  const auto lacking = std::count_if(rows.begin(), rows.end(), lacks);
  runs.remarks.push_back(
      static_cast<std::size_t>(lacking) == rows.size()
          ? fmt::format("all {} configurations lack {}: sums over regions may be too small",
                        rows.size(), what)
          : fmt::format("{} of {} configurations {} left out of the program's forecast for want "
                        "of {}",
                        lacking, rows.size(), lacking == 1 ? "is" : "are", what));
}

// Number of measurements of the regions; 1 if not all as often.
std::size_t repetitions_of(const RegionRows& regions) {
  const std::size_t repetitions = regions.begin()->second.size();
  const bool paired = std::all_of(regions.begin(), regions.end(), [&](const auto& entry) {
    return entry.second.size() == repetitions;
  });
  return paired ? repetitions : 1;
}

// The sums over regions, one for each repetition.
std::vector<double> sums_of(const RegionRows& regions, const std::vector<double>& values,
                            std::size_t repetitions) {
  std::vector<double> sums(repetitions, 0.0);
  for (const auto& [region, rows] : regions)
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] += rows.size() == repetitions ? values[rows[i]] : median_at(values, rows);
  return sums;
}

// Returns how many runs are none, as no region of them took time, or energy where that was
// measured.
std::size_t add_runs(ProgramRuns& runs, const Factors& where, const RegionRows& regions,
                     const MeasuredValues& values) {
  const std::size_t repetitions = repetitions_of(regions);
  std::vector<double> times;
  std::vector<double> energies;
  if (values.time != nullptr) times = sums_of(regions, *values.time, repetitions);
  if (values.energy != nullptr) energies = sums_of(regions, *values.energy, repetitions);
  std::size_t none = 0;
  for (std::size_t i = 0; i < repetitions; ++i) {
    if ((values.time && !(times[i] > 0)) || (values.energy && !(energies[i] > 0))) {
      ++none;
      continue;
    }
    runs.where.push_back(configuration_of(where));
    if (values.time) runs.time_s.push_back(times[i]);
    if (values.energy) runs.energy_j.push_back(energies[i]);
  }
  if (none == repetitions) return none;
  runs.configurations.push_back(configuration_of(where));
  std::size_t count = 0;
  for (const auto& [region, rows] : regions) count += rows.size();
  runs.rows.push_back(count);
  return none;
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
  take(ColumnRole::nodes, &Configuration::nodes);
  take(ColumnRole::packages, &Configuration::packages);
  const MeasuredColumn* each = table.find(ColumnRole::ranks_per_node);
  if (each == nullptr || table.find(ColumnRole::nodes) != nullptr) return where;
  for (std::size_t row = 0; row < where.size(); ++row)
    where[row].nodes = std::max(std::ceil(where[row].processes / each->values[row]), 1.0);
  return where;
}

ProgramRuns runs_of(const MeasurementTable& table) {
  const MeasuredColumn* time = table.find(ColumnRole::time);
  const MeasuredColumn* energy = table.find(ColumnRole::energy);
  if (time == nullptr && energy == nullptr)
    throw Error("the rows have neither time nor energy: say which columns hold them");
  NestedRegions nested = nested_regions(table);
  ProgramRuns runs;
  runs.remarks = std::move(nested.remarks);
  const MeasuredValues values{time != nullptr ? &time->values : nullptr,
                              energy != nullptr ? &energy->values : nullptr};
  const CountedRows counted(table, time != nullptr ? *values.time : *values.energy, nested.inside);
  std::size_t none = 0;
  for (const bool all : {false, true}) {  // all: better than nothing
    if (!runs.where.empty()) break;
    none = 0;
    for (const auto& [where, regions] : counted.rows)
      if (!regions.empty() && (all || complete(regions, counted.usual)))
        none += add_runs(runs, where, regions, values);
  }
  if (runs.where.empty())
    throw Error("no row has a time or energy above 0: give rows that were measured");
  remark_incomplete(runs, counted, table.regions);
  if (none > 0)
    runs.remarks.push_back(
        fmt::format("{} {} left out of the program's forecast: no region of {} has a time and an "
                    "energy above 0",
                    none, none == 1 ? "run is" : "runs are", none == 1 ? "it" : "them"));
  return runs;
}

}  // namespace huddle::forecast
