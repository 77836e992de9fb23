#include "aggregator/forecast/outermost_regions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

#include "aggregator/forecast/call_paths.hpp"
#include "aggregator/forecast/flat_nesting.hpp"
#include "aggregator/forecast/named_nesting.hpp"
#include "aggregator/forecast/region_means.hpp"
#include "profiles/vocabulary/counted.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::size_t kMostRemarks = 3;

// Regions that others lie inside of, by what is known of all.
class Nesting {
 public:
  Nesting(const MeasurementTable& table, const MeasuredColumn& column)
      : table_(table), sums_(sums_by_region(table, column.values)) {}

  [[nodiscard]] const std::vector<double>& sums() const { return sums_; }

  // `outermost`: by region, itself if it is inside of none.
  void take(const std::vector<std::uint32_t>& outermost, ContainedBy known_by,
            const std::string& why, OutermostRegions& found) const {
    std::map<std::uint32_t, std::vector<std::uint32_t>> inside;
    for (std::uint32_t region = 0; region < outermost.size(); ++region)
      if (outermost[region] != region) inside[outermost[region]].push_back(region);
    const auto keys = std::views::keys(inside);
    std::vector<std::uint32_t> roots(keys.begin(), keys.end());
    std::ranges::stable_sort(roots,
                             [&](auto one, auto other) { return sums_[one] > sums_[other]; });
    for (const std::uint32_t root : roots) {
      ContainingRegion containing{table_.regions[root], {}, known_by};
      for (const std::uint32_t region : inside[root])
        containing.inside.push_back(table_.regions[region]);
      found.containing.push_back(std::move(containing));
      if (found.containing.size() <= kMostRemarks)
        found.remarks.push_back(told(root, inside[root]) + why);
    }
    if (inside.size() > kMostRemarks)
      found.remarks.push_back(counted(inside.size() - kMostRemarks,
                                      "more region has others inside of it",
                                      "more regions have others inside of them"));
  }

 private:
  // "solve" and 4 other regions lie inside of "main", and are not added to it: ...
  [[nodiscard]] std::string told(std::uint32_t root,
                                 const std::vector<std::uint32_t>& inside) const {
    const std::uint32_t largest =
        *std::ranges::max_element(inside, {}, [&](std::uint32_t region) { return sums_[region]; });
    const std::string name = fmt::format("\"{}\"", shortened(table_.regions[largest]));
    const std::string others = inside.size() == 1
                                   ? " lies"
                                   : " and " + counted(inside.size() - 1, "other region") + " lie";
    return fmt::format("{}{} inside of \"{}\", and {} not added to it: ", name, others,
                       shortened(table_.regions[root]), inside.size() == 1 ? "is" : "are");
  }

  const MeasurementTable& table_;
  std::vector<double> sums_;  // by region
};

// By region: whether it has rows.
std::vector<bool> with_rows(const MeasurementTable& table) {
  std::vector<bool> has(table.regions.size());
  for (const std::uint32_t region : table.region) has[region] = true;
  return has;
}

// Those without rows contain nothing, whatever they are called.
std::vector<std::string> names_with_rows(const MeasurementTable& table) {
  std::vector<std::string> names = table.regions;
  const std::vector<bool> has = with_rows(table);
  for (std::size_t region = 0; region < names.size(); ++region)
    if (!has[region]) names[region].clear();
  return names;
}

std::vector<bool> inside_of(const std::vector<std::uint32_t>& outermost) {
  std::vector<bool> inside(outermost.size());
  for (std::uint32_t region = 0; region < inside.size(); ++region)
    inside[region] = outermost[region] != region;
  return inside;
}

// Whether the values of a column are without those of the regions inside, and in how many
// configurations they say so.
struct Exclusive {
  bool is = false;
  std::size_t contradicting = 0;
  std::size_t configurations = 0;
};

Exclusive is_exclusive(const MeasurementTable& table, const MeasuredColumn& column,
                       const CallPaths& paths) {
  Exclusive exclusive;
  const std::vector<std::vector<RegionMean>> means = region_means(table, column.values);
  exclusive.configurations = means.size();
  exclusive.contradicting = contradicting_configurations(paths, means);
  exclusive.is =
      says_exclusive(column.name) || 2 * exclusive.contradicting > exclusive.configurations;
  return exclusive;
}

void remark_doubt(const MeasuredColumn& column, const Exclusive& exclusive,
                  std::vector<std::string>& remarks) {
  constexpr std::size_t kOneIn = 10;
  if (exclusive.is && !says_exclusive(column.name))
    remarks.push_back(fmt::format(
        "in {} of {} configurations regions have less {} than those which their names say are "
        "inside of them: taken for exclusive, and added up",
        exclusive.contradicting, exclusive.configurations, name_of(column.role)));
  if (!exclusive.is && kOneIn * exclusive.contradicting > exclusive.configurations)
    remarks.push_back(fmt::format(
        "in {} of {} configurations regions have less {} than those which their names say are "
        "inside of them: the program's {} may be too small",
        exclusive.contradicting, exclusive.configurations, name_of(column.role),
        name_of(column.role)));
}

void find_by_names(const MeasurementTable& table, const CallPaths& paths,
                   const MeasuredColumn* time, const MeasuredColumn* energy,
                   OutermostRegions& found) {
  const Nesting nesting(table, time != nullptr ? *time : *energy);
  const std::vector<std::uint32_t> outermost = outermost_by_paths(paths, nesting.sums());
  const std::vector<bool> inside = inside_of(outermost);
  const std::vector<bool> repeated = repeated_by_paths(paths, nesting.sums());
  Exclusive of_time;
  if (time != nullptr) {
    of_time = is_exclusive(table, *time, paths);
    remark_doubt(*time, of_time, found.remarks);
    found.time_inside = of_time.is ? repeated : inside;
  }
  if (energy != nullptr) {
    Exclusive of_energy = is_exclusive(table, *energy, paths);
    remark_doubt(*energy, of_energy, found.remarks);
    // Where energies could be either they are as the times are, unless these could be either, too.
    if (of_time.is && 2 * of_time.contradicting <= of_time.configurations &&
        !says_inclusive(energy->name))
      of_energy.is = true;
    found.energy_inside = of_energy.is ? repeated : inside;
  }
  const std::vector<bool>& passed_over = time != nullptr ? found.time_inside : found.energy_inside;
  if (passed_over == inside)
    nesting.take(outermost, ContainedBy::names, "their names say so", found);
  else if (const auto twice = std::ranges::count(repeated, true); twice > 0)
    found.remarks.push_back(
        counted(static_cast<std::uint64_t>(twice),
                "region is not added, as call paths that end in it hold the same",
                "regions are not added, as call paths that end in them hold the same"));
}

void find_by_values(const MeasurementTable& table, const MeasuredColumn* time,
                    const MeasuredColumn* energy, OutermostRegions& found) {
  const MeasuredColumn& column = time != nullptr ? *time : *energy;
  if (says_exclusive(column.name)) return;
  const FlatNesting flat = find_containing_region(table, column);
  if (!flat.remark.empty()) found.remarks.push_back(flat.remark);
  if (!flat.root) return;
  std::vector<std::uint32_t> outermost(table.regions.size(), *flat.root);
  const std::vector<bool> has = with_rows(table);
  for (std::uint32_t region = 0; region < outermost.size(); ++region)
    if (!has[region]) outermost[region] = region;
  found.time_inside = inside_of(outermost);
  found.energy_inside = found.time_inside;
  const auto why = [&]() -> std::string {
    const std::string_view what = name_of(column.role);
    switch (flat.known_by) {
      case ContainedBy::exclusive_times:
        return "it takes as long as the exclusive times of all together";
      case ContainedBy::sums:
        return fmt::format("it has as much {} as the others together in all {} configurations",
                           what, flat.configurations);
      default:
        return fmt::format("its name is that of the whole program, and its {} the largest", what);
    }
  }();
  Nesting(table, column).take(outermost, flat.known_by, why, found);
  if (time == nullptr || energy == nullptr || is_largest(table, *energy, *flat.root)) return;
  found.energy_inside.assign(table.regions.size(), false);
  found.remarks.push_back(fmt::format(
      "\"{}\" has less energy than regions inside of it: energies are taken for exclusive, and "
      "added up",
      shortened(table.regions[*flat.root])));
}

}  // namespace

std::string_view name_of(ContainedBy known_by) {
  switch (known_by) {
    case ContainedBy::names:
      return "names";
    case ContainedBy::whole_program:
      return "whole_program";
    case ContainedBy::exclusive_times:
      return "exclusive_times";
    case ContainedBy::sums:
      return "sums";
  }
  return "";
}

OutermostRegions outermost_regions(const MeasurementTable& table) {
  OutermostRegions found;
  found.time_inside.resize(table.regions.size());
  found.energy_inside.resize(table.regions.size());
  const MeasuredColumn* time = table.find(ColumnRole::time);
  const MeasuredColumn* energy = table.find(ColumnRole::energy);
  if (table.regions.size() < 2 || (time == nullptr && energy == nullptr)) return found;
  const CallPaths paths = call_paths_of(names_with_rows(table));
  if (paths.any())
    find_by_names(table, paths, time, energy, found);
  else
    find_by_values(table, time, energy, found);
  return found;
}

}  // namespace huddle
