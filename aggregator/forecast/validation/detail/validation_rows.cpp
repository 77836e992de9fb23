#include "aggregator/forecast/validation/detail/validation_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "aggregator/forecast/forest/random_stream.hpp"
#include "aggregator/forecast/laws/law_samples.hpp"
#include "aggregator/forecast/program_runs.hpp"
#include "profiles/vocabulary/counted.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// More would take long and hardly be more precise.
constexpr std::size_t kMostRows = 60'000;
constexpr std::size_t kMostRegions = 48;
// Of values: so many are left out between others one after the other, at least each third.
constexpr std::size_t kBetweenSplits = 3;
// Of values: one in so many is beyond.
constexpr std::size_t kOneBeyond = 5;
constexpr std::uint32_t kOneHeldOut = 5;

// By region: whether it is one of those with the largest sums.
std::vector<bool> regions_that_matter(const MeasurementTable& table,
                                      const std::vector<double>& values,
                                      std::vector<std::string>& remarks) {
  std::vector<double> sums(table.regions.size());
  for (std::size_t row = 0; row < table.rows(); ++row) sums[table.region[row]] += values[row];
  std::vector<std::size_t> order(sums.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sums[a] > sums[b]; });
  std::vector<bool> matter(sums.size());
  double kept = 0;
  for (std::size_t i = 0; i < std::min(order.size(), kMostRegions); ++i) {
    matter[order[i]] = true;
    kept += sums[order[i]];
  }
  if (order.size() > kMostRegions)
    remarks.push_back(fmt::format("validated on {} of {} regions, which have {:.1f} % of the sum",
                                  kMostRegions, order.size(),
                                  100 * kept / std::accumulate(sums.begin(), sums.end(), 0.0)));
  return matter;
}

std::vector<std::size_t> usable_rows(const MeasurementTable& table,
                                     const std::vector<double>& values, std::uint64_t seed,
                                     std::vector<std::string>& remarks) {
  const std::vector<bool> matter = regions_that_matter(table, values, remarks);
  std::vector<std::size_t> rows;
  std::size_t not_positive = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!(values[row] > 0)) ++not_positive;
    if (values[row] > 0 && matter[table.region[row]]) rows.push_back(row);
  }
  if (not_positive > 0)
    remarks.push_back(
        fmt::format("{} not above 0", counted(not_positive, "row is not validated with: it is",
                                              "rows are not validated with: they are")));
  if (rows.size() <= kMostRows) return rows;
  remarks.push_back(
      fmt::format("validated with {} of {} rows, drawn at random", kMostRows, rows.size()));
  RandomStream random(RandomStream::key_of(seed, 1));
  for (std::size_t i = 0; i < kMostRows; ++i)
    std::swap(rows[i], rows[i + random.below(static_cast<std::uint32_t>(rows.size() - i))]);
  rows.resize(kMostRows);
  std::sort(rows.begin(), rows.end());
  return rows;
}

// Adds the split if it has both training and test rows.
void add(std::vector<Split>& splits, const ValidationRows& rows, HeldOut held_out,
         const std::function<bool(std::uint32_t)>& out) {
  Split split{held_out, {}, {}};
  std::vector<bool> trained(rows.regions);
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    if (out(row)) continue;
    split.training.push_back(row);
    trained[rows.region[row]] = true;
  }
  for (std::uint32_t row = 0; row < rows.size(); ++row)
    if (out(row) && trained[rows.region[row]]) split.test.push_back(row);
  if (!split.training.empty() && !split.test.empty()) splits.push_back(std::move(split));
}

}  // namespace

ValidationRows validation_rows(const MeasurementTable& table, ColumnRole target, std::uint64_t seed,
                               std::vector<std::string>& remarks) {
  const MeasuredColumn* column = table.find(target);
  if (column == nullptr)
    throw Error(fmt::format("the rows have no {}: say which column holds it", name_of(target)));
  const std::vector<Configuration> where = configurations_of(table);
  ValidationRows rows;
  rows.regions = table.regions.size();
  for (const std::size_t row : usable_rows(table, column->values, seed, remarks)) {
    rows.where.push_back(where[row]);
    rows.region.push_back(table.region[row]);
    rows.value.push_back(column->values[row]);
  }
  std::vector<Factors> factors;
  for (const Configuration& configuration : rows.where)
    factors.push_back(factors_of(configuration));
  rows.levels = levels_of(factors);
  return rows;
}

std::vector<Split> splits_of(const ValidationRows& rows, std::size_t factor, std::uint64_t seed) {
  std::vector<Split> splits;
  std::vector<bool> drawn(rows.size());
  RandomStream random(RandomStream::key_of(seed, 2));
  for (std::size_t row = 0; row < rows.size(); ++row) drawn[row] = random.below(kOneHeldOut) == 0;
  add(splits, rows, HeldOut::rows, [&](std::uint32_t row) { return drawn[row]; });
  const std::vector<double>& levels = rows.levels[factor];
  if (levels.size() < 3) return splits;
  std::vector<std::size_t> level(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row)
    level[row] = static_cast<std::size_t>(
        std::lower_bound(levels.begin(), levels.end(), factors_of(rows.where[row])[factor]) -
        levels.begin());
  const std::size_t count = std::min(levels.size() - 2, kBetweenSplits);
  for (std::size_t split = 0; split < count; ++split)
    add(splits, rows, HeldOut::sizes_between, [&](std::uint32_t row) {
      return level[row] > 0 && level[row] + 1 < levels.size() && (level[row] - 1) % count == split;
    });
  const std::size_t beyond = std::max<std::size_t>(1, levels.size() / kOneBeyond);
  add(splits, rows, HeldOut::sizes_beyond,
      [&](std::uint32_t row) { return level[row] + beyond >= levels.size(); });
  return splits;
}

}  // namespace huddle
