#include "aggregator/forecast/toep/cross_validation.hpp"

#include <cstddef>

#include "aggregator/forecast/goodness.hpp"

namespace huddle {
namespace {

constexpr std::size_t kFolds = 5;
constexpr std::size_t kMostRefitted = 3000;

}  // namespace

double cross_validated_r2(const FeatureMatrix& features, std::span<const double> values,
                          const std::vector<std::uint32_t>& rows, const Forest& forest,
                          const ForestSettings& settings) {
  if (rows.size() > kMostRefitted) return forest.out_of_bag_r2();
  std::vector<double> measured;
  std::vector<double> predicted;
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    std::vector<std::uint32_t> seen;
    std::vector<std::uint32_t> unseen;
    for (std::size_t i = 0; i < rows.size(); ++i)
      (i % kFolds == fold ? unseen : seen).push_back(rows[i]);
    const std::vector<double> part =
        Forest::grow(features, values, seen, settings).predict(features, unseen, settings.threads);
    predicted.insert(predicted.end(), part.begin(), part.end());
    for (const std::uint32_t row : unseen) measured.push_back(values[row]);
  }
  return r_squared(measured, predicted);
}

}  // namespace huddle
