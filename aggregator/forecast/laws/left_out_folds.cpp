#include "aggregator/forecast/laws/left_out_folds.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>

namespace huddle {
namespace {

// So many folds of a factor at most, to bound the time.
constexpr std::size_t kMostBetween = 6;
constexpr std::size_t kMostBeyond = 4;
constexpr std::size_t kConfigurationFolds = 5;
// A size below the smallest is seldom asked for; from so many values on, it is tried.
constexpr std::size_t kLevelsForBelow = 5;

std::size_t level_of(const LawSamples& samples, std::size_t sample, std::size_t factor) {
  const std::vector<double>& levels = samples.levels[factor];
  const auto found = std::lower_bound(levels.begin(), levels.end(), samples.where[sample][factor]);
  return static_cast<std::size_t>(found - levels.begin());
}

// Adds the fold if what stays tells about every factor that varies.
void add(std::vector<LeftOutFold>& folds, const LawSamples& samples, LeftOutFold fold,
         const std::function<bool(std::size_t)>& left_out) {
  for (std::size_t i = 0; i < samples.size(); ++i)
    (left_out(i) ? fold.left_out : fold.training).push_back(i);
  if (fold.left_out.empty() || fold.training.size() < 2) return;
  for (std::size_t factor = 0; factor < kFactors; ++factor) {
    if (samples.levels[factor].size() < 2) continue;
    const double first = samples.where[fold.training[0]][factor];
    if (std::all_of(fold.training.begin(), fold.training.end(),
                    [&](std::size_t i) { return samples.where[i][factor] == first; }))
      return;
  }
  folds.push_back(std::move(fold));
}

void add_between(std::vector<LeftOutFold>& folds, const LawSamples& samples, std::size_t factor) {
  const std::size_t levels = samples.levels[factor].size();
  if (levels < 3) return;
  const std::size_t count = std::min(levels - 2, kMostBetween);
  for (std::size_t fold = 0; fold < count; ++fold)
    add(folds, samples, {.factor = factor, .training = {}, .left_out = {}}, [&](std::size_t i) {
      const std::size_t level = level_of(samples, i, factor);
      return level > 0 && level + 1 < levels && (level - 1) % count == fold;
    });
}

void add_configurations(std::vector<LeftOutFold>& folds, const LawSamples& samples) {
  const auto varying = std::count_if(samples.levels.begin(), samples.levels.end(),
                                     [](const auto& levels) { return levels.size() > 1; });
  if (varying < 2 || samples.size() < 4) return;
  const std::size_t count = std::min(samples.size(), kConfigurationFolds);
  for (std::size_t fold = 0; fold < count; ++fold)
    // 2654435761 scatters consecutive numbers: a fold is no regular pattern in the grid.
    add(folds, samples, {.training = {}, .left_out = {}}, [&](std::size_t i) {
      return samples.size() <= kConfigurationFolds
                 ? i == fold
                 : ((i * std::uint64_t{2654435761U}) >> 16U) % count == fold;
    });
}

void add_beyond(std::vector<LeftOutFold>& folds, const LawSamples& samples, std::size_t factor) {
  const std::size_t levels = samples.levels[factor].size();
  if (levels < 3) return;
  // Half of the values are left out at most, in a few steps.
  const std::size_t most = std::max<std::size_t>(1, std::min(levels - 2, levels / 2));
  const std::size_t count = std::min(most, kMostBeyond);
  for (std::size_t fold = 0; fold < count; ++fold) {
    const std::size_t gone = 1 + (count > 1 ? fold * (most - 1) / (count - 1) : 0);
    add(folds, samples, {.factor = factor, .beyond = true, .training = {}, .left_out = {}},
        [&](std::size_t i) { return level_of(samples, i, factor) + gone >= levels; });
  }
  if (levels >= kLevelsForBelow)
    add(folds, samples,
        {.factor = factor, .beyond = true, .below = true, .training = {}, .left_out = {}},
        [&](std::size_t i) { return level_of(samples, i, factor) == 0; });
}

}  // namespace

std::vector<LeftOutFold> folds_of(const LawSamples& samples, LeftOut purpose) {
  std::vector<LeftOutFold> folds;
  for (std::size_t factor = 0; factor < kFactors; ++factor)
    purpose == LeftOut::between ? add_between(folds, samples, factor)
                                : add_beyond(folds, samples, factor);
  if (purpose == LeftOut::between) add_configurations(folds, samples);
  return folds;
}

}  // namespace huddle
