#include "aggregator/waitstates/comparison/run_change.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace huddle {
namespace {

// Probability that the variable's absolute value is below `t`.
double student_within(double t, unsigned degrees) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double cosine = std::cos(angle);
  const bool odd = degrees % 2 == 1;
  double sum = 0;
  double term = odd ? cosine : 1;
  for (unsigned i = odd ? 1 : 0; i + 2 <= degrees; i += 2) {
    sum += term;
    term *= cosine * cosine * (i + 1) / (i + 2);
  }
  if (!odd) return std::sin(angle) * sum;
  return 2 / std::numbers::pi * (angle + std::sin(angle) * sum);
}

struct Sample {
  double mean = 0;
  double variance = 0;
  double runs = 0;
};

Sample sample_of(std::span<const double> values) {
  Sample sample;
  sample.runs = static_cast<double>(values.size());
  sample.mean = std::accumulate(values.begin(), values.end(), 0.0) / sample.runs;
  if (values.size() < 2) return sample;
  for (const double value : values)
    sample.variance += (value - sample.mean) * (value - sample.mean) / (sample.runs - 1);
  return sample;
}

// Of the mean of each side; rounded down, at least 1.
unsigned degrees_of(const Sample& a, const Sample& b) {
  const double left = a.variance / a.runs;
  const double right = b.variance / b.runs;
  double below = 0;
  if (a.runs > 1) below += left * left / (a.runs - 1);
  if (b.runs > 1) below += right * right / (b.runs - 1);
  if (a.runs < 2 || b.runs < 2) return static_cast<unsigned>(std::max(a.runs, b.runs)) - 1;
  if (below <= 0) return static_cast<unsigned>(a.runs + b.runs) - 2;
  return static_cast<unsigned>(std::clamp((left + right) * (left + right) / below, 1.0, 1e6));
}

}  // namespace

std::optional<bool> RunChange::beyond_noise() const {
  if (!noise) return {};
  return std::abs(difference()) > *noise;
}

double student_quantile_of(double probability, unsigned degrees) {
  double low = 0;
  double high = 1;
  const double within = 2 * probability - 1;
  while (student_within(high, degrees) < within && high < 1e12) high *= 2;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (student_within(middle, degrees) < within ? low : high) = middle;
  }
  return high;
}

RunChange change_of(std::span<const double> before, std::span<const double> after) {
  Sample left = sample_of(before);
  Sample right = sample_of(after);
  RunChange change{left.mean, right.mean};
  if (before.size() < 2 && after.size() < 2) return change;
  if (before.size() < 2) left.variance = right.variance;
  if (after.size() < 2) right.variance = left.variance;
  const double error = std::sqrt(left.variance / left.runs + right.variance / right.runs);
  change.noise =
      error == 0 ? 0 : error * student_quantile_of(1 - kFalseChanges / 2, degrees_of(left, right));
  return change;
}

}  // namespace huddle
