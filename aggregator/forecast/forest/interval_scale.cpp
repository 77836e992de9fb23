#include "aggregator/forecast/forest/interval_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace huddle {
namespace {

// With fewer, the law of 1 / trees does not hold yet.
constexpr std::uint32_t kLeastHalf = 4;

double median(std::vector<double> numbers) {
  if (numbers.empty()) return 0;
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

double quantile(const std::vector<double>& increasing, double probability) {
  const double rank = std::ceil(static_cast<double>(increasing.size() + 1) * probability);
  if (rank > static_cast<double>(increasing.size())) return std::numeric_limits<double>::infinity();
  return increasing[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

}  // namespace

IntervalScale::IntervalScale(const UnseenRows& unseen, const std::vector<double>& value,
                             std::uint32_t trees) {
  const std::uint32_t least = std::min(trees, 2U);
  std::vector<double> off;
  std::vector<double> spread;
  double counted = 0;
  for (std::size_t place = 0; place < value.size(); ++place) {
    if (unseen.all[place].trees < least) continue;
    off.push_back(std::abs(unseen.all[place].mean - value[place]));
    spread.push_back(unseen.all[place].spread);
    counted += unseen.all[place].trees;
  }
  // Where trees agree by chance, an interval must not vanish.
  floor_ = 0.1 * median(spread);
  if (floor_ == 0) floor_ = median(off);
  if (floor_ == 0) floor_ = std::numeric_limits<double>::epsilon();
  for (std::size_t place = 0; place < value.size(); ++place) {
    const UnseenRow& all = unseen.all[place];
    const UnseenRow& half = unseen.half[place];
    if (all.trees >= least)
      scores_.push_back(std::abs(all.mean - value[place]) / width(all.spread));
    if (all.trees >= least && half.trees >= kLeastHalf)
      half_scores_.push_back(std::abs(half.mean - value[place]) / width(half.spread));
  }
  if (half_scores_.size() < scores_.size() * 9 / 10) half_scores_.clear();
  trees_to_come_ = 1 - counted / static_cast<double>(std::max<std::size_t>(1, off.size())) / trees;
  std::sort(scores_.begin(), scores_.end());
  std::sort(half_scores_.begin(), half_scores_.end());
}

double IntervalScale::reach(double probability) const {
  const double all = quantile(scores_, probability);
  const double half = quantile(half_scores_, probability);
  if (!std::isfinite(all) || !std::isfinite(half)) return all;
  return std::max(all / 2, all - trees_to_come_ * std::max(0.0, half - all));
}

}  // namespace huddle
