#include "aggregator/forecast/table/table_filling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::size_t kMostRegions = 1'000'000;
constexpr std::uint64_t kMostStride = std::uint64_t{1} << 62U;
constexpr std::size_t kMostNameBytes = std::size_t{256} << 20U;

// The lot of the row with this number: G. Steele et al., Fast splittable pseudorandom number
// generators, OOPSLA 2014 (the mixing of SplitMix64).
std::uint64_t lot_of(std::uint64_t row) {
  std::uint64_t bits = row * 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

}  // namespace

TableFilling::TableFilling(std::vector<MeasuredColumn> columns,
                           const MeasurementCsvOptions& options)
    : most_rows_(std::min(options.most_rows,
                          options.most_values / std::max<std::size_t>(columns.size(), 1))) {
  most_rows_ = std::max<std::uint64_t>(most_rows_, 1);
  table_.columns = std::move(columns);
}

std::uint32_t TableFilling::number_of(std::string_view region) {
  if (!table_.region.empty() && table_.regions[table_.region.back()] == region)
    return table_.region.back();
  const auto known = numbers_.find(region);
  if (known != numbers_.end()) return known->second;
  name_bytes_ += region.size();
  if (table_.regions.size() == kMostRegions || name_bytes_ > kMostNameBytes)
    throw Error(
        fmt::format("more than {} names of regions, or {} MiB of them: is \"{}\" one? "
                    "--column region=NAME says which column holds them",
                    kMostRegions, kMostNameBytes >> 20U, shortened(region)));
  const auto number = static_cast<std::uint32_t>(table_.regions.size());
  table_.regions.emplace_back(region);
  numbers_.emplace(region, number);
  return number;
}

void TableFilling::add(std::string_view region, const std::vector<double>& values) {
  const std::uint64_t lot = lot_of(++seen_);
  if ((lot & (stride_ - 1)) != 0) return;
  lots_.push_back(lot);
  table_.region.push_back(number_of(region));
  for (std::size_t i = 0; i < values.size(); ++i) table_.columns[i].values.push_back(values[i]);
  while (table_.rows() > most_rows_ && stride_ < kMostStride) thin();
}

void TableFilling::thin() {
  stride_ *= 2;
  std::vector<std::size_t> stay;
  for (std::size_t row = 0; row < lots_.size(); ++row)
    if ((lots_[row] & (stride_ - 1)) == 0) stay.push_back(row);
  if (stay.empty()) stay.push_back(0);
  for (std::size_t i = 0; i < stay.size(); ++i) lots_[i] = lots_[stay[i]];
  lots_.resize(stay.size());
  table_.keep(stay);
}

void TableFilling::drop_empty_regions() {
  constexpr auto kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> number(table_.regions.size(), kNone);
  std::vector<std::string> regions;
  for (std::uint32_t& region : table_.region) {
    if (number[region] == kNone) {
      number[region] = static_cast<std::uint32_t>(regions.size());
      regions.push_back(table_.regions[region]);
    }
    region = number[region];
  }
  table_.regions = std::move(regions);
}

MeasurementTable TableFilling::take() {
  if (stride_ > 1) drop_empty_regions();
  numbers_.clear();
  lots_.clear();
  return std::exchange(table_, {});
}

}  // namespace huddle
