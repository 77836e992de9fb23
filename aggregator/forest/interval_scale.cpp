#include "aggregator/forest/interval_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace huddle {
namespace {

double median(std::vector<double> numbers) {
  if (numbers.empty()) return 0;
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

}  // namespace

IntervalScale::IntervalScale(const std::vector<UnseenRow>& unseen, const std::vector<double>& value,
                             std::uint32_t trees) {
  const std::uint32_t least = std::min(trees, 2U);
  std::vector<double> off;
  std::vector<double> spread;
  for (std::size_t place = 0; place < unseen.size(); ++place) {
    if (unseen[place].trees < least) continue;
    off.push_back(std::abs(unseen[place].mean - value[place]));
    spread.push_back(unseen[place].spread);
  }
  // Where trees agree by chance, an interval must not vanish.
  floor_ = 0.1 * median(spread);
  if (floor_ == 0) floor_ = median(off);
  if (floor_ == 0) floor_ = std::numeric_limits<double>::epsilon();
  scores_.resize(off.size());
  for (std::size_t i = 0; i < off.size(); ++i) scores_[i] = off[i] / width(spread[i]);
  std::sort(scores_.begin(), scores_.end());
}

double IntervalScale::reach(double probability) const {
  const double rank = std::ceil(static_cast<double>(scores_.size() + 1) * probability);
  if (rank > static_cast<double>(scores_.size())) return std::numeric_limits<double>::infinity();
  return scores_[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

}  // namespace huddle
