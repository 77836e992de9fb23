#include "spank_plugin/runtime/packing/position_times.hpp"

#include <algorithm>
#include <cmath>

namespace huddle::runtime {
namespace {

// Means of two positions are clearly apart if chance would hardly do it, and if it matters.
constexpr double kErrorsApart = 4;
constexpr double kRatioApart = 1.25;

bool are_apart(const PassTimes& one, const PassTimes& other) {
  const PassTimes& less = one.mean < other.mean ? one : other;
  const PassTimes& more = one.mean < other.mean ? other : one;
  const double error = std::sqrt(less.variance() / static_cast<double>(less.count) +
                                 more.variance() / static_cast<double>(more.count));
  return more.mean >= kRatioApart * less.mean && more.mean - less.mean > kErrorsApart * error;
}

double time_of(const PositionTimes::Row& row) {
  return static_cast<double>(row.usual.count) * row.usual.mean;
}

}  // namespace

void PositionTimes::delimiter(std::uint64_t group) {
  for (const Key& key : since_delimiter_) rows_[key].group = group;
  since_delimiter_.clear();
  place_.delimiter(group);
  if (place_.anchor() == 0) search_.delimiter(group);
}

PositionTimes::Row& PositionTimes::row_of(std::uint64_t region) {
  Key key{region, place_.context()};
  if (rows_.size() >= kMost && !rows_.contains(key)) key.second = 0;
  Row& row = rows_[key];
  row.region = region;
  row.context = key.second;
  if (row.context == 0) return row;
  row.position = place_.position();
  if (since_delimiter_.size() < kMost) since_delimiter_.push_back(key);
  return row;
}

void PositionTimes::ended(std::uint64_t region, std::uint32_t cores, bool first,
                          std::uint64_t ticks, bool counts) {
  if (place_.anchor() == 0) {
    const auto anchor = search_.ended(region, ticks);
    if (!anchor) return;
    place_ = PeriodPlace(anchor->id);
    length_ = anchor->length;
    passes_ = anchor->passes;
    periods_ = 0;
    at_positions_ = without_period_ = since_period_ = 0;
    return;
  }
  // Until its first anchor nothing is known of where the region is.
  if (counts && place_.periods() > 0) {
    Row& row = row_of(region);
    if (cores == 0) {
      row.usual.add(ticks);
    } else {
      TriedTimes& tried = tried_on(row.tried, cores);
      (first ? tried.first : tried.packed).add(ticks);
    }
  }
  look_whether_lost(ticks);
}

void PositionTimes::look_whether_lost(std::uint64_t ticks) {
  if (place_.periods() != periods_) {
    periods_ = place_.periods();
    since_period_ = 0;
    without_period_ = 0;
  }
  if (++since_period_ <= PeriodPlace::kLongest) {
    at_positions_ += static_cast<double>(ticks);
    return;
  }
  without_period_ += static_cast<double>(ticks);
  if (without_period_ > at_positions_) *this = PositionTimes();
}

bool PositionTimes::differs(std::uint64_t region) const {
  const PassTimes* least = nullptr;
  const PassTimes* most = nullptr;
  for (auto at = rows_.lower_bound({region, 1}); at != rows_.end() && at->first.first == region;
       ++at) {
    const PassTimes& usual = at->second.usual;
    if (usual.count < kFewestUsual) continue;
    if (least == nullptr || usual.mean < least->mean) least = &usual;
    if (most == nullptr || usual.mean > most->mean) most = &usual;
  }
  return least != most && are_apart(*least, *most);
}

std::uint32_t PositionTimes::differing(std::uint64_t region) const {
  const auto found = passes_.find(region);
  return found == passes_.end() || !differs(region) ? 0 : found->second;
}

PositionTimes::All PositionTimes::all() const {
  All all;
  if (std::ranges::none_of(passes_, [&](const auto& one) { return differs(one.first); }))
    return all;
  all.anchor = place_.anchor();
  all.length = length_;
  std::vector<const Row*> shown;
  std::map<std::uint64_t, Row> elsewhere;
  for (const auto& [key, row] : rows_)
    if (row.context != 0 && row.usual.count >= kFewestUsual) shown.push_back(&row);
  std::ranges::stable_sort(
      shown, [](const Row* one, const Row* other) { return time_of(*one) > time_of(*other); });
  if (shown.size() > kMostShown) shown.resize(kMostShown);
  for (const Row* row : shown) all.rows.push_back(*row);
  for (const auto& [key, row] : rows_) {
    if (std::ranges::find(shown, &row) != shown.end()) continue;
    Row& sum = elsewhere[row.region];
    sum.region = row.region;
    sum.usual.add(row.usual);
    for (const TriedTimes& one : row.tried) {
      TriedTimes& tried = tried_on(sum.tried, one.cores);
      tried.first.add(one.first);
      tried.packed.add(one.packed);
    }
  }
  for (auto& [region, row] : elsewhere)
    if (row.usual.count > 0) all.rows.push_back(std::move(row));
  return all;
}

}  // namespace huddle::runtime
