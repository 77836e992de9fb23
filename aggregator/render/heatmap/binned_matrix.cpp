#include "aggregator/render/heatmap/binned_matrix.hpp"

#include <algorithm>
#include <limits>

namespace huddle {

BinnedMatrix binned_matrix(const Profile& profile, Traffic traffic, Weight weight,
                           std::uint32_t most_bins) {
  BinnedMatrix matrix;
  matrix.ranks = profile.ranks;
  matrix.ranks_per_bin = (profile.ranks - 1) / most_bins + 1;
  matrix.bins = (profile.ranks - 1) / matrix.ranks_per_bin + 1;
  matrix.sums.resize(std::size_t{matrix.bins} * matrix.bins);
  for_each_transfer(profile, traffic, [&](const Transfer& transfer) {
    const std::size_t row = transfer.from.value / matrix.ranks_per_bin;
    std::uint64_t& sum = matrix.sums[row * matrix.bins + transfer.to.value / matrix.ranks_per_bin];
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - sum;
    sum += std::min(transfer.measured_in(weight), room);
  });
  for (const std::uint64_t sum : matrix.sums) {
    if (sum == 0) continue;
    matrix.least = matrix.least == 0 ? sum : std::min(matrix.least, sum);
    matrix.most = std::max(matrix.most, sum);
  }
  return matrix;
}

}  // namespace huddle
