#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/render/heatmap/traffic.hpp"

namespace huddle {

/// A rank x rank matrix small enough to be looked at: neighbouring ranks share a bin, and a cell
/// holds the sum over its pairs of ranks. A plain value.
struct BinnedMatrix {
  std::uint32_t ranks = 0;
  /// The last bin may hold fewer.
  std::uint32_t ranks_per_bin = 1;
  /// Rows, and columns.
  std::uint32_t bins = 0;
  /// Row by row; row = sender, column = receiver. Sums beyond 64 bits stay at the largest number.
  std::vector<std::uint64_t> sums;
  /// The extremes of the cells that are not 0; both 0 if all are.
  std::uint64_t least = 0;
  std::uint64_t most = 0;

  [[nodiscard]] std::uint64_t at(std::uint32_t row, std::uint32_t column) const {
    return sums[std::size_t{row} * bins + column];
  }
};

/// Precondition: most_bins is at least 1. Takes memory for at most most_bins x most_bins cells.
BinnedMatrix binned_matrix(const Profile& profile, Traffic traffic, Weight weight,
                           std::uint32_t most_bins);

}  // namespace huddle
