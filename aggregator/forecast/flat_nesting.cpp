#include "aggregator/forecast/flat_nesting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "aggregator/forecast/call_paths.hpp"
#include "aggregator/forecast/region_means.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// Of the configurations: what holds in so many holds.
constexpr double kNearlyAll = 0.9;
// Means of several rows, of threads or repetitions, differ by so much.
constexpr double kNoise = 0.05;
// Between a region and the sum of what is inside: that may be more by an error of the clock, and is
// less by what the region does itself.
constexpr double kMoreInside = 0.01;
constexpr double kMostItself = 0.1;
// A sum that is the same in so many configurations, while one of its terms' shares changes so much,
// is no chance.
constexpr std::size_t kEnoughConfigurations = 4;
constexpr double kChangedShare = 1.2;
// Exclusive times that make up so much of a region's time are all of it.
constexpr double kAllOfIt = 0.98;
// Waiting at the end of a parallel region is in its inclusive time alone: so much, not more.
constexpr double kWaiting = 1.25;

std::string letters_of(const std::string& name) {
  std::string letters;
  for (const char letter : name)
    if (letter >= 'A' && letter <= 'Z')
      letters += static_cast<char>(letter - 'A' + 'a');
    else if (letter >= 'a' && letter <= 'z')
      letters += letter;
  return letters;
}

std::string quoted(const std::string& region) {
  return fmt::format("\"{}\"", shortened(region));
}

// What a table's configurations say of one region that may contain the others.
struct Evidence {
  std::size_t configurations = 0;  // with several regions
  std::size_t longest = 0;         // where it is as long as any other
  std::size_t sums = 0;            // where it is as long as all others together
  std::size_t more = 0;            // where it is that, and not shorter
  std::size_t exclusive = 0;       // where it is as long as all exclusive times together
  double least_share = std::numeric_limits<double>::infinity();  // of the longest of the others
  double most_share = 0;

  [[nodiscard]] bool nearly_all(std::size_t count) const {
    return configurations > 0 &&
           static_cast<double>(count) >= kNearlyAll * static_cast<double>(configurations);
  }
};

double sum_of(const std::vector<RegionMean>& means) {
  double sum = 0;
  for (const RegionMean& region : means) sum += region.mean;
  return sum;
}

double value_of(const std::vector<RegionMean>& means, std::uint32_t region) {
  const auto found = std::ranges::lower_bound(means, region, {}, &RegionMean::region);
  return found != means.end() && found->region == region ? found->mean : 0;
}

class Values {
 public:
  Values(const MeasurementTable& table, const MeasuredColumn& column)
      : table_(table), sums_(sums_by_region(table, column.values)) {
    means_ = region_means(table, column.values);
    if (const MeasuredColumn* exclusive = exclusive_times(table);
        exclusive != nullptr && column.role == ColumnRole::time)
      take_exclusive(*exclusive);
  }

  [[nodiscard]] bool has(std::uint32_t region) const { return sums_[region] > 0; }
  [[nodiscard]] bool has_exclusive() const { return !exclusive_.empty(); }
  [[nodiscard]] double all() const { return sum_of_sums(sums_); }
  [[nodiscard]] double all_exclusive() const { return sum_of_sums(exclusive_sums_); }

  [[nodiscard]] std::uint32_t longest(std::uint32_t but) const {
    std::uint32_t found = but == 0 ? 1 : 0;
    for (std::uint32_t region = found; region < sums_.size(); ++region)
      if (region != but && sums_[region] > sums_[found]) found = region;
    return found;
  }
  [[nodiscard]] std::uint32_t longest() const {
    return longest(static_cast<std::uint32_t>(sums_.size()));
  }

  // Whether it calls none, so that its exclusive time is its time, as far as is known.
  [[nodiscard]] bool is_leaf(std::uint32_t region) const {
    return has_exclusive() && sums_[region] > 0 &&
           exclusive_sums_[region] >= kAllOfIt * sums_[region];
  }

  // Whether some other region is one. Where inclusive times are more for other reasons, such as
  // waiting for the slowest thread, none is.
  [[nodiscard]] bool has_leaf(std::uint32_t root) const {
    for (std::uint32_t region = 0; region < sums_.size(); ++region)
      if (region != root && is_leaf(region)) return true;
    return false;
  }

  [[nodiscard]] Evidence evidence_for(std::uint32_t root) const {
    Evidence evidence;
    const std::uint32_t second = longest(root);
    for (std::size_t i = 0; i < means_.size(); ++i) {
      if (means_[i].size() < 2) continue;
      ++evidence.configurations;
      const double value = value_of(means_[i], root);
      const double others = sum_of(means_[i]) - value;
      double largest = 0;
      for (const RegionMean& region : means_[i])
        if (region.region != root) largest = std::max(largest, region.mean);
      if (value >= (1 - kNoise) * largest) ++evidence.longest;
      if (value >= (1 - kMoreInside) * others && value * (1 - kMostItself) <= others) {
        ++evidence.sums;
        if (value > others) ++evidence.more;
      }
      if (has_exclusive() && std::abs(value - sum_of(exclusive_[i])) <= kNoise * value)
        ++evidence.exclusive;
      const double share = value_of(means_[i], second) / others;
      evidence.least_share = std::min(evidence.least_share, share);
      evidence.most_share = std::max(evidence.most_share, share);
    }
    return evidence;
  }

 private:
  static double sum_of_sums(const std::vector<double>& sums) {
    double all = 0;
    for (const double sum : sums) all += sum;
    return all;
  }

  // A variable stays in the file's unit. That is found out from regions that call none, whose
  // exclusive time is their time.
  void take_exclusive(const MeasuredColumn& column) {
    constexpr std::array<double, 6> kUnits = {1, 1e3, 1e6, 1e9, 1.0 / 60, 1.0 / 3600};
    exclusive_sums_ = sums_by_region(table_, column.values);
    double ratio = 0;
    for (std::size_t region = 0; region < sums_.size(); ++region)
      if (sums_[region] > 0) ratio = std::max(ratio, exclusive_sums_[region] / sums_[region]);
    if (!(ratio > 0)) return;
    const double unit = *std::ranges::min_element(
        kUnits, {}, [&](double each) { return std::abs(std::log(ratio / each)); });
    for (double& sum : exclusive_sums_) sum /= unit;
    exclusive_ = region_means(table_, column.values);
    for (std::vector<RegionMean>& configuration : exclusive_)
      for (RegionMean& region : configuration) region.mean /= unit;
  }

  const MeasurementTable& table_;
  std::vector<double> sums_;  // by region
  std::vector<double> exclusive_sums_;
  std::vector<std::vector<RegionMean>> means_;  // by configuration
  std::vector<std::vector<RegionMean>> exclusive_;
};

std::string doubt(const std::string& why) {
  return fmt::format(
      "{}: whether it contains others can't be told, and so all are added up; --region asks for "
      "some alone",
      why);
}

FlatNesting whole_program(const Values& values, std::uint32_t root, const std::string& name) {
  if (values.is_leaf(root)) return {};
  const Evidence evidence = values.evidence_for(root);
  if (evidence.nearly_all(evidence.longest))
    return {root, ContainedBy::whole_program, evidence.configurations, ""};
  FlatNesting found;
  if (2 * evidence.longest >= evidence.configurations)
    found.remark =
        doubt(fmt::format("{} takes as long as any other region in {} of {} configurations only",
                          quoted(name), evidence.longest, evidence.configurations));
  return found;
}

FlatNesting longest_region(const Values& values, const MeasurementTable& table,
                           const MeasuredColumn& column) {
  const std::uint32_t root = values.longest();
  const Evidence evidence = values.evidence_for(root);
  const std::string name = quoted(table.regions[root]);
  const bool longest = evidence.nearly_all(evidence.longest);
  if (longest && evidence.nearly_all(evidence.exclusive) && values.has_leaf(root))
    return {root, ContainedBy::exclusive_times, evidence.configurations, ""};
  FlatNesting found;
  const std::size_t all = evidence.configurations;
  if (all >= kEnoughConfigurations && evidence.sums == all && !values.has_exclusive() &&
      evidence.most_share >= kChangedShare * evidence.least_share)
    return {root, ContainedBy::sums, all, ""};
  if (all > 0 && evidence.more == all) {
    found.remark = doubt(fmt::format("{} has as much {} as all other regions together everywhere",
                                     name, name_of(column.role)));
  } else if (values.has_exclusive()) {
    if (values.all() > kWaiting * values.all_exclusive())
      found.remark = doubt(
          fmt::format("the inclusive times add up to {:.3g} times the exclusive ones, and {} is "
                      "the longest region",
                      values.all() / values.all_exclusive(), name));
  } else if (longest && says_inclusive(column.name)) {
    found.remark = doubt(fmt::format("times are inclusive, and {} is the longest region", name));
  }
  return found;
}

}  // namespace

bool says_exclusive(const std::string& column) {
  const std::string letters = letters_of(column);
  return letters.find("excl") != std::string::npos || letters.ends_with("exc") ||
         letters.starts_with("self");
}

bool says_inclusive(const std::string& column) {
  const std::string letters = letters_of(column);
  return letters.find("incl") != std::string::npos || letters.ends_with("inc");
}

const MeasuredColumn* exclusive_times(const MeasurementTable& table) {
  for (const MeasuredColumn& column : table.columns) {
    if (column.role != ColumnRole::variable || !says_exclusive(column.name)) continue;
    const std::string letters = letters_of(column.name);
    if (letters == "exclusive" || letters == "excl" || letters == "exc" ||
        letters.find("time") != std::string::npos)
      return &column;
  }
  return nullptr;
}

bool is_largest(const MeasurementTable& table, const MeasuredColumn& column, std::uint32_t region) {
  const Evidence evidence = Values(table, column).evidence_for(region);
  return 2 * evidence.longest >= evidence.configurations;
}

FlatNesting find_containing_region(const MeasurementTable& table, const MeasuredColumn& column) {
  if (table.regions.size() < 2) return {};
  const Values values(table, column);
  for (std::uint32_t region = 0; region < table.regions.size(); ++region)
    if (values.has(region) && is_whole_program(table.regions[region]))
      return whole_program(values, region, table.regions[region]);
  return longest_region(values, table, column);
}

}  // namespace huddle
