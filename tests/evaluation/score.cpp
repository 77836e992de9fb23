#include "tests/evaluation/score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "profiles/vocabulary/error.hpp"

namespace huddle::evaluation {
namespace {

double sign(double difference) {
  return difference > 0 ? 1 : difference < 0 ? -1 : 0;
}

const Truth& truth_in(const Truths& truths, const std::string& pattern) {
  const auto found = truths.find(pattern);
  if (found == truths.end())
    throw Error(fmt::format("huddle named the pattern {}, which the node lacks", pattern));
  return found->second;
}

double least_energy(const Truths& truths, double longest_s) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [pattern, truth] : truths)
    if (truth.time_s <= longest_s) least = std::min(least, truth.energy_j);
  return least;
}

}  // namespace

double kendall(const std::vector<double>& a, const std::vector<double>& b) {
  double agreement = 0;
  double pairs_a = 0;
  double pairs_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double in_a = sign(a[i] - a[j]);
      const double in_b = sign(b[i] - b[j]);
      agreement += in_a * in_b;
      pairs_a += std::abs(in_a);
      pairs_b += std::abs(in_b);
    }
  }
  return pairs_a > 0 && pairs_b > 0 ? agreement / std::sqrt(pairs_a * pairs_b) : 0;
}

Score score_of(const Answer& answer, const Truths& truths, const std::set<std::string>& samples) {
  Score score;
  std::vector<double> predicted_times;
  std::vector<double> true_times;
  double inside = 0;
  for (const auto& [pattern, prediction] : answer.patterns) {
    const Truth& truth = truth_in(truths, pattern);
    const bool sampled = samples.contains(pattern);
    score.patterns.push_back({pattern, sampled, prediction, truth});
    predicted_times.push_back(prediction.time_s);
    true_times.push_back(truth.time_s);
    if (sampled) continue;
    if (std::isnan(prediction.high_s)) inside = std::numeric_limits<double>::quiet_NaN();
    if (truth.time_s >= prediction.low_s && truth.time_s <= prediction.high_s) ++inside;
    score.computation_errors.push_back(
        std::abs(prediction.computation_s / truth.computation_s - 1));
    if (!std::isnan(prediction.energy_j))
      score.energy_errors.push_back(std::abs(prediction.energy_j / truth.energy_j - 1));
    score.time_errors.push_back(std::abs(prediction.time_s / truth.time_s - 1));
  }
  score.covered = inside / static_cast<double>(score.time_errors.size());
  score.rank_correlation = kendall(predicted_times, true_times);
  const Truth& reference = truth_in(truths, answer.reference);
  const Truth& chosen = truth_in(truths, answer.chosen.empty() ? answer.reference : answer.chosen);
  const double best = least_energy(truths, reference.time_s * (1 + kBound));
  score.chosen = answer.chosen.empty() ? answer.reference : answer.chosen;
  score.slowdown = chosen.time_s / reference.time_s - 1;
  score.regret = chosen.energy_j / best - 1;
  score.good = score.slowdown <= kBound && score.regret <= 0.02;
  score.saved = 1 - chosen.energy_j / reference.energy_j;
  score.could_save = 1 - best / reference.energy_j;
  return score;
}

}  // namespace huddle::evaluation
