#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/forecast/forest/feature_matrix.hpp"

namespace huddle::forecast {

/// Rows of a law that is known, with noise.
struct MadeUpRows {
  FeatureMatrix features;
  std::vector<double> values;
};

/// The law and the noise that make_up_rows() makes rows by.
enum class RowKind : std::uint8_t {
  smooth,           ///< even noise on a smooth law of three features
  heteroscedastic,  ///< noise that grows with a feature
  skewed,           ///< a law over six decades, noise that multiplies
  outliers,         ///< one row of 200 is ten times too large
  few_numbers,      ///< features of few different numbers, as threads and processes are
  noise_free,       ///< a law without noise
  noise_only,       ///< no law
};

MadeUpRows make_up_rows(RowKind kind, std::size_t rows, std::uint64_t seed);

std::string name_of(RowKind kind);

/// The rows by decreasing value.
std::vector<std::uint32_t> by_decreasing_value(const MadeUpRows& rows);

/// R^2 of what was predicted for these rows.
double r2_of(const std::vector<double>& predicted, const std::vector<double>& values,
             const std::vector<std::uint32_t>& rows);

}  // namespace huddle::forecast
