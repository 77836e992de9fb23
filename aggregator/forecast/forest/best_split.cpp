#include "aggregator/forecast/forest/best_split.hpp"

namespace huddle {

// With sums taken from the mean of the node, the sum of squared errors falls by
// s^2 / n_left + s^2 / n_right = s^2 n / (n_left n_right); n is the same for all splits.
void improve_split(std::span<const std::uint32_t> sorted, const std::uint32_t* code,
                   const DrawnRow* rows, const RowSums& all, std::uint32_t least_leaf,
                   std::uint32_t feature, BestSplit& best) {
  const std::size_t count = sorted.size();
  if (count < 2 * std::size_t{least_leaf}) return;
  const double mean = all.sum / all.times;
  double sum = 0;
  double times = 0;
  for (std::size_t i = 0; i + 1 < least_leaf; ++i) {
    sum += rows[sorted[i]].value * rows[sorted[i]].times;
    times += rows[sorted[i]].times;
  }
  double most = best.gain;
  std::size_t left = 0;
  std::uint32_t row = sorted[least_leaf - 1];
  for (std::size_t i = least_leaf - 1; i < count - least_leaf; ++i) {
    sum += rows[row].value * rows[row].times;
    times += rows[row].times;
    const std::uint32_t next = sorted[i + 1];
    if (code[row] != code[next]) {
      const double above = sum - times * mean;
      const double gain = above * above / (times * (all.times - times));
      if (gain > most) {
        most = gain;
        left = i + 1;
      }
    }
    row = next;
  }
  if (left > 0) best = {most, feature, static_cast<std::uint32_t>(left)};
}

}  // namespace huddle
