#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace huddle::forecast {

/// Numbers by row and feature, stored feature by feature. A plain value.
class FeatureMatrix {
 public:
  FeatureMatrix() = default;
  /// All zero.
  FeatureMatrix(std::size_t rows, std::size_t features)
      : rows_(rows), features_(features), values_(rows * features) {}

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t features() const { return features_; }
  [[nodiscard]] std::span<double> feature(std::size_t index) {
    return {values_.data() + index * rows_, rows_};
  }
  [[nodiscard]] std::span<const double> feature(std::size_t index) const {
    return {values_.data() + index * rows_, rows_};
  }
  [[nodiscard]] double at(std::size_t row, std::size_t feature) const {
    return values_[feature * rows_ + row];
  }

 private:
  std::size_t rows_ = 0;
  std::size_t features_ = 0;
  std::vector<double> values_;
};

}  // namespace huddle::forecast
