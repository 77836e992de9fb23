#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/forecast/forest/feature_matrix.hpp"

namespace huddle::forecast {

/// One feature of the rows that trees are grown on.
struct CodedFeature {
  std::vector<std::uint32_t> sorted;  ///< places by increasing number; equal ones by place
  std::vector<std::uint32_t> code;    ///< by place: how many different numbers are smaller
  std::vector<double> numbers;        ///< the different numbers, increasing: by code
};

/// The rows that trees are grown on, sorted once for all trees. A row's place is its rank by
/// value: rows that end in one leaf lie close to each other, which spares the caches.
struct TrainingRows {
  std::vector<std::uint32_t> given;  ///< by place: position among the rows given to grow()
  std::vector<std::uint32_t> row;    ///< by place: row of the matrix
  std::vector<double> value;         ///< by place: (value - centre) / scale, within -1 .. 1
  std::vector<CodedFeature> features;
  double centre = 0;  ///< mean of the values, the value itself if there is but one
  double scale = 1;   ///< a power of two, so that values keep all their digits

  [[nodiscard]] std::size_t size() const { return value.size(); }

  /// Sorts and codes these rows (all if empty). Throws Error if there is no row or no feature, or
  /// a number isn't finite.
  static TrainingRows make(const FeatureMatrix& features, std::span<const double> values,
                           std::span<const std::uint32_t> rows, unsigned threads);
};

/// The rows 0 .. count - 1, or `rows` if it isn't empty.
std::vector<std::uint32_t> listed_rows(std::span<const std::uint32_t> rows, std::size_t count);

}  // namespace huddle::forecast
