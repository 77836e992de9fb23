#include "aggregator/forecast/outermost_regions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <ranges>
#include <unordered_map>
#include <utility>

#include "aggregator/forecast/call_paths.hpp"
#include "aggregator/forecast/laws/configuration.hpp"
#include "aggregator/forecast/program_runs.hpp"
#include "profiles/vocabulary/counted.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::size_t kMostRemarks = 3;
// Callees may take more than their caller by so much, as means of several rows differ, and by so
// much of the largest region, as tiny ones are noisy.
constexpr double kNoise = 0.05;
constexpr double kTiny = 0.02;
// Paths that hold so much of a function's row hold the same once more.
constexpr double kMostOfIt = 0.5;

// By configuration the means of the regions that have rows in it.
using RegionMeans = std::map<std::uint32_t, double>;

std::vector<RegionMeans> region_means(const MeasurementTable& table,
                                      const std::vector<double>& values) {
  struct Hash {
    std::size_t operator()(const Factors& where) const {
      std::size_t hash = 0;
      for (const double factor : where) hash = hash * 1'000'003 + std::hash<double>{}(factor);
      return hash;
    }
  };
  struct Sum {
    double sum = 0;
    double rows = 0;
  };
  const std::vector<Configuration> configurations = configurations_of(table);
  std::unordered_map<Factors, std::unordered_map<std::uint32_t, Sum>, Hash> sums;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    Sum& sum = sums[factors_of(configurations[row])][table.region[row]];
    sum.sum += values[row];
    ++sum.rows;
  }
  std::vector<RegionMeans> means;
  for (const auto& [where, regions] : sums) {
    RegionMeans& of_regions = means.emplace_back();
    for (const auto& [region, sum] : regions) of_regions[region] = sum.sum / sum.rows;
  }
  return means;
}

std::vector<double> sums_by_region(const MeasurementTable& table, const MeasuredColumn& column) {
  std::vector<double> sums(table.regions.size());
  for (std::size_t row = 0; row < table.rows(); ++row)
    sums[table.region[row]] += column.values[row];
  return sums;
}

bool is_exclusive(const MeasuredColumn& column) {
  return column.exclusive || says_exclusive(column.name);
}

// What names say about who calls whom.
class NamedNesting {
 public:
  explicit NamedNesting(const MeasurementTable& table) : has_rows_(table.regions.size()) {
    for (const std::uint32_t region : table.region) has_rows_[region] = true;
    // Regions without rows contain nothing, whatever they are called.
    std::vector<std::string> names = table.regions;
    for (std::size_t region = 0; region < names.size(); ++region)
      if (!has_rows_[region]) names[region].clear();
    paths_ = call_paths_of(names);
    if (paths_.any()) return;
    const auto whole = std::ranges::find_if(names, is_whole_program);
    if (whole == names.end()) return;
    whole_ = static_cast<std::uint32_t>(whole - names.begin());
    for (std::uint32_t region = 0; region < names.size(); ++region)
      if (region != whole_ && has_rows_[region]) paths_.caller[region] = whole_;
  }

  [[nodiscard]] bool any() const { return paths_.any(); }
  [[nodiscard]] ContainedBy known_by() const {
    return whole_ ? ContainedBy::whole_program : ContainedBy::names;
  }
  [[nodiscard]] std::size_t regions_with_rows() const {
    return static_cast<std::size_t>(std::ranges::count(has_rows_, true));
  }

  // By region: whether paths that end in it hold at least half of its sum, so that it is the same
  // once more. TAU writes such rows.
  [[nodiscard]] std::vector<bool> repeated_by_paths(const std::vector<double>& sums) const {
    std::vector<bool> repeated(sums.size());
    for (std::uint32_t region = 0; region < sums.size(); ++region) {
      double of_paths = 0;
      for (const std::uint32_t path : paths_.ends[region])
        if (*paths_.caller[path] != region) of_paths += sums[path];
      repeated[region] = of_paths > 0 && of_paths >= kMostOfIt * sums[region];
    }
    return repeated;
  }

  // By region: the outermost region that it lies inside of; itself if that is none. Of regions that
  // call each other in a circle, without anyone else who calls them, the largest is the outermost.
  [[nodiscard]] std::vector<std::uint32_t> outermost(const std::vector<double>& sums) const {
    const std::size_t count = sums.size();
    const std::vector<std::vector<std::uint32_t>> callers = callers_by(repeated_by_paths(sums));
    std::vector<std::vector<std::uint32_t>> callees(count);
    for (std::uint32_t region = 0; region < count; ++region)
      for (const std::uint32_t caller : callers[region]) callees[caller].push_back(region);
    std::vector<std::uint32_t> outermost(count, static_cast<std::uint32_t>(count));
    const auto spread_from = [&](std::uint32_t root) {
      std::vector<std::uint32_t> reached = {root};
      outermost[root] = root;
      while (!reached.empty()) {
        const std::uint32_t region = reached.back();
        reached.pop_back();
        for (const std::uint32_t callee : callees[region]) {
          if (outermost[callee] != count) continue;
          outermost[callee] = root;
          reached.push_back(callee);
        }
      }
    };
    std::vector<std::uint32_t> by_sum(count);
    for (std::uint32_t region = 0; region < count; ++region) by_sum[region] = region;
    std::ranges::stable_sort(by_sum, [&](auto a, auto b) { return sums[a] > sums[b]; });
    for (const std::uint32_t region : by_sum)
      if (callers[region].empty()) spread_from(region);
    for (const std::uint32_t region : by_sum)  // what is left calls itself in a circle
      if (outermost[region] == count) spread_from(region);
    return outermost;
  }

  // Whether regions are clearly smaller than what is directly inside of them. Below a whole program
  // without paths regions may lie inside of each other, and so only the largest counts.
  [[nodiscard]] bool is_denied_by(const RegionMeans& configuration) const {
    double largest = 0;
    std::unordered_map<std::uint32_t, double> inside;
    for (const auto& [region, mean] : configuration) {
      largest = std::max(largest, mean);
      if (!paths_.caller[region]) continue;
      double& of_caller = inside[*paths_.caller[region]];
      of_caller = whole_ ? std::max(of_caller, mean) : of_caller + mean;
    }
    return std::ranges::any_of(configuration, [&](const auto& entry) {
      const auto found = inside.find(entry.first);
      return found != inside.end() && found->second > (1 + kNoise) * entry.second + kTiny * largest;
    });
  }

 private:
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> callers_by(
      const std::vector<bool>& repeated) const {
    std::vector<std::vector<std::uint32_t>> callers(repeated.size());
    for (std::uint32_t region = 0; region < callers.size(); ++region) {
      if (paths_.caller[region])
        callers[region] = {*paths_.caller[region]};
      else if (repeated[region])
        for (const std::uint32_t path : paths_.ends[region])
          if (*paths_.caller[path] != region) callers[region].push_back(*paths_.caller[path]);
    }
    return callers;
  }

  std::vector<bool> has_rows_;
  CallPaths paths_;
  std::optional<std::uint32_t> whole_;
};

// Names and values must agree about what is inside of what; where they hardly differ, a remark.
void check_against_values(const MeasurementTable& table, const MeasuredColumn& column,
                          const NamedNesting& nesting, OutermostRegions& found) {
  constexpr std::size_t kOneIn = 10;
  const std::vector<RegionMeans> means = region_means(table, column.values);
  const auto denied =
      static_cast<std::size_t>(std::ranges::count_if(means, [&](const RegionMeans& configuration) {
        return nesting.is_denied_by(configuration);
      }));
  const std::string_view what = name_of(column.role);
  const std::string finding = fmt::format(
      "in {} of {} configurations regions have less {} than those which their names say are inside "
      "of them",
      denied, means.size(), what);
  if (2 * denied > means.size())
    throw UsageError(fmt::format(
        "{}: --exclusive {} says that regions are measured without what is inside of them, so that "
        "all are added up; --region NAME uses some regions alone",
        finding, what));
  if (kOneIn * denied > means.size())
    found.remarks.push_back(fmt::format("{}: the program's {} may be too small", finding, what));
}

// Says which regions contain others. `outermost`: by region, itself if it is inside of none.
void add_containing(const MeasurementTable& table, const std::vector<double>& sums,
                    const std::vector<std::uint32_t>& outermost, ContainedBy known_by,
                    OutermostRegions& found) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> inside;
  for (std::uint32_t region = 0; region < outermost.size(); ++region)
    if (outermost[region] != region) inside[outermost[region]].push_back(region);
  const auto keys = std::views::keys(inside);
  std::vector<std::uint32_t> roots(keys.begin(), keys.end());
  std::ranges::stable_sort(roots, [&](auto one, auto other) { return sums[one] > sums[other]; });
  for (const std::uint32_t root : roots) {
    const std::vector<std::uint32_t>& regions = inside[root];
    ContainingRegion& containing = found.containing.emplace_back();
    containing.region = table.regions[root];
    containing.known_by = known_by;
    for (const std::uint32_t region : regions) containing.inside.push_back(table.regions[region]);
    if (found.containing.size() > kMostRemarks) continue;
    const std::uint32_t largest =
        *std::ranges::max_element(regions, {}, [&](std::uint32_t region) { return sums[region]; });
    const bool one = regions.size() == 1;
    found.remarks.push_back(fmt::format(
        "\"{}\"{} inside of \"{}\", and {} not added to it: {}", shortened(table.regions[largest]),
        one ? " lies" : " and " + counted(regions.size() - 1, "other region") + " lie",
        shortened(table.regions[root]), one ? "is" : "are",
        known_by == ContainedBy::names ? "their names say so"
                                       : "its name is that of the whole program"));
  }
  if (inside.size() > kMostRemarks)
    found.remarks.push_back(counted(inside.size() - kMostRemarks,
                                    "more region has others inside of it",
                                    "more regions have others inside of them"));
}

}  // namespace

std::string_view name_of(ContainedBy known_by) {
  return known_by == ContainedBy::names ? "names" : "whole_program";
}

OutermostRegions outermost_regions(const MeasurementTable& table) {
  OutermostRegions found;
  found.time_inside.resize(table.regions.size());
  found.energy_inside.resize(table.regions.size());
  const MeasuredColumn* time = table.find(ColumnRole::time);
  const MeasuredColumn* energy = table.find(ColumnRole::energy);
  const MeasuredColumn* column = time != nullptr ? time : energy;
  if (table.regions.size() < 2 || column == nullptr) return found;
  const NamedNesting nesting(table);
  if (!nesting.any()) {
    if (nesting.regions_with_rows() > 1 && says_inclusive(column->name))
      found.remarks.push_back(
          fmt::format("\"{}\" is inclusive, but no name says which regions lie inside of others: "
                      "all are added up; --region asks for some alone",
                      shortened(column->name)));
    return found;
  }
  const std::vector<double> sums = sums_by_region(table, *column);
  const std::vector<std::uint32_t> outermost = nesting.outermost(sums);
  const std::vector<bool> repeated = nesting.repeated_by_paths(sums);
  std::vector<bool> inside(outermost.size());
  for (std::uint32_t region = 0; region < inside.size(); ++region)
    inside[region] = outermost[region] != region;
  const bool time_exclusive = time != nullptr && is_exclusive(*time);
  // Energies beside exclusive times are exclusive, too.
  const bool energy_exclusive =
      energy != nullptr &&
      (is_exclusive(*energy) || (time_exclusive && !says_inclusive(energy->name)));
  if (time != nullptr && !time_exclusive) check_against_values(table, *time, nesting, found);
  if (energy != nullptr && !energy_exclusive) check_against_values(table, *energy, nesting, found);
  if (time != nullptr) found.time_inside = time_exclusive ? repeated : inside;
  if (energy != nullptr) found.energy_inside = energy_exclusive ? repeated : inside;
  if (time != nullptr ? !time_exclusive : !energy_exclusive)
    add_containing(table, sums, outermost, nesting.known_by(), found);
  else if (const auto twice = std::ranges::count(repeated, true); twice > 0)
    found.remarks.push_back(
        counted(static_cast<std::uint64_t>(twice),
                "region is not added, as call paths that end in it hold the same",
                "regions are not added, as call paths that end in them hold the same"));
  return found;
}

}  // namespace huddle
