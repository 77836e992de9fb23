#include "aggregator/forecast/screening/running_law.hpp"

#include <algorithm>
#include <cmath>

namespace huddle {
namespace {

constexpr std::size_t kFewest = 3;
constexpr std::size_t kForLevel = 5;  // a median of so many isn't moved by an odd one
const double kFarthest = std::log(4.0);
// With sizes this near to each other the noise would make any slope, and hardly any matters.
const double kNarrow = std::log(1.2);

}  // namespace

void RunningLaw::add(double size, double value) {
  points_[count_ % points_.size()] = {std::log(size), std::log(value)};
  ++count_;
}

const RunningLaw::Point& RunningLaw::from_last(std::size_t back) const {
  return points_[(count_ - 1 - back) % points_.size()];
}

bool RunningLaw::knows(double size) const {
  return count_ >= kFewest && std::log(size) - from_last(0).size <= kFarthest;
}

double RunningLaw::slope() const {
  const std::size_t count = std::min(count_, points_.size());
  if (from_last(0).size - from_last(count - 1).size < kNarrow) return 1;
  double mean_size = 0;
  double mean_value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    mean_size += points_[i].size / static_cast<double>(count);
    mean_value += points_[i].value / static_cast<double>(count);
  }
  double both = 0;
  double sizes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double size = points_[i].size - mean_size;
    both += size * (points_[i].value - mean_value);
    sizes += size * size;
  }
  return both / sizes;
}

// The last values, brought to the asked size by the slope; their median.
double RunningLaw::at(double size) const {
  const double by = slope();
  std::array<double, kForLevel> levels{};
  const std::size_t count = std::min(count_, kForLevel);
  for (std::size_t i = 0; i < count; ++i)
    levels[i] = from_last(i).value + by * (std::log(size) - from_last(i).size);
  std::sort(levels.begin(), levels.begin() + static_cast<std::ptrdiff_t>(count));
  return std::exp((levels[(count - 1) / 2] + levels[count / 2]) / 2);
}

}  // namespace huddle
