#include "aggregator/forecast/region_means.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_map>

#include "aggregator/forecast/laws/factors.hpp"

namespace huddle {
namespace {

struct FactorsHash {
  std::size_t operator()(const Factors& where) const {
    std::size_t hash = 0;
    for (const double factor : where) hash = hash * 1'000'003 + std::hash<double>{}(factor);
    return hash;
  }
};

struct Sum {
  double sum = 0;
  std::size_t rows = 0;
};

// The factors of a row, 1 for those without a column; without a copy of all, as there may be
// millions of rows.
class FactorColumns {
 public:
  explicit FactorColumns(const MeasurementTable& table)
      : columns_{table.find(ColumnRole::size), table.find(ColumnRole::processes),
                 table.find(ColumnRole::threads), table.find(ColumnRole::frequency)} {}

  [[nodiscard]] Factors at(std::size_t row) const {
    Factors where{1, 1, 1, 1};
    for (std::size_t factor = 0; factor < kFactors; ++factor)
      if (columns_[factor] != nullptr) where[factor] = columns_[factor]->values[row];
    return where;
  }

 private:
  std::array<const MeasuredColumn*, kFactors> columns_;  // in the order of Factors
};

}  // namespace

std::vector<std::vector<RegionMean>> region_means(const MeasurementTable& table,
                                                  std::span<const double> values) {
  const FactorColumns factors(table);
  std::unordered_map<Factors, std::size_t, FactorsHash> numbers;
  std::vector<std::unordered_map<std::uint32_t, Sum>> sums;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto [entry, is_new] = numbers.try_emplace(factors.at(row), sums.size());
    if (is_new) sums.emplace_back();
    Sum& sum = sums[entry->second][table.region[row]];
    sum.sum += values[row];
    ++sum.rows;
  }
  std::vector<std::vector<RegionMean>> means(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    for (const auto& [region, sum] : sums[i])
      means[i].push_back({region, sum.sum / static_cast<double>(sum.rows)});
    std::ranges::sort(means[i], {}, &RegionMean::region);
  }
  return means;
}

std::vector<double> sums_by_region(const MeasurementTable& table, std::span<const double> values) {
  std::vector<double> sums(table.regions.size());
  for (std::size_t row = 0; row < table.rows(); ++row) sums[table.region[row]] += values[row];
  return sums;
}

}  // namespace huddle
