#include "aggregator/forecast/sizes/times_by_size.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace huddle {
namespace {

Configuration configuration(double size, std::uint32_t ranks) {
  Configuration where;
  where.size = size;
  where.processes = ranks;
  return where;
}

}  // namespace

TimesBySize::TimesBySize(std::span<const double> sizes, double target, std::uint32_t ranks)
    : sizes_(sizes.begin(), sizes.end()),
      target_(target),
      ranks_(ranks),
      counts_(sizes, target),
      share_of_run_(weights_of_runs()) {}

// The runs of the two nearest sizes count, by where the target lies between these; beyond all
// sizes, those of the nearest alone.
std::vector<double> TimesBySize::weights_of_runs() const {
  const auto above = std::lower_bound(sizes_.begin(), sizes_.end(), target_);
  const double upper = above == sizes_.end() ? sizes_.back() : *above;
  const double lower = above == sizes_.begin() ? sizes_[0] : *(above - 1);
  const double of_upper =
      upper > lower ? std::clamp(std::log(target_ / lower) / std::log(upper / lower), 0.0, 1.0) : 1;
  std::vector<double> weights(sizes_.size());
  for (const auto& [size, weight] : {std::pair(upper, of_upper), std::pair(lower, 1 - of_upper)}) {
    const auto runs = static_cast<double>(std::count(sizes_.begin(), sizes_.end(), size));
    for (std::size_t run = 0; run < sizes_.size(); ++run)
      if (sizes_[run] == size) weights[run] += weight / runs;
  }
  return weights;
}

std::optional<Estimate> TimesBySize::law(std::span<const double> values) const {
  const bool all_above_0 =
      std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
  if (!all_above_0 || sizes_.front() == sizes_.back()) return std::nullopt;
  std::vector<Configuration> where;
  for (const double size : sizes_) where.push_back(configuration(size, ranks_));
  const bool beyond = target_ < sizes_.front() || target_ > sizes_.back();
  const ScalingLaw law =
      ScalingLaw::fit(where, values, beyond ? LeftOut::beyond : LeftOut::between);
  return law.at(configuration(target_, ranks_));
}

double TimesBySize::at_target(std::span<const double> values) const {
  const std::optional<Estimate> told = law(values);
  return told ? told->value : counts_.at_target(values);
}

std::vector<double> TimesBySize::by_rank(const Of& value_of, const Of& weight_of) const {
  std::vector<double> means;
  std::vector<std::size_t> known;
  for (std::size_t run = 0; run < sizes_.size(); ++run) {
    double sum = 0;
    double weights = 0;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      const double value = value_of(run, rank);
      if (!std::isfinite(value)) continue;
      sum += value * weight_of(run, rank);
      weights += weight_of(run, rank);
    }
    means.push_back(weights > 0 ? sum / weights : 0);
    if (weights > 0) known.push_back(run);
  }
  if (known.empty()) return std::vector<double>(ranks_, std::numeric_limits<double>::quiet_NaN());
  if (known.size() < sizes_.size()) return by_rank_of(known, value_of, weight_of);
  const double mean = at_target(means);
  std::vector<double> told(ranks_);
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    double share = 0;
    double weights = 0;
    for (std::size_t run = 0; run < sizes_.size(); ++run) {
      const double value = value_of(run, rank);
      if (!(means[run] > 0) || !std::isfinite(value)) continue;
      // A run that does not count says more than none at all.
      const double weight = std::max(share_of_run_[run], 1e-9);
      share += weight * value / means[run];
      weights += weight;
    }
    told[rank] = weights > 0 ? mean * share / weights : mean;
  }
  return told;
}

std::vector<double> TimesBySize::by_rank_of(const std::vector<std::size_t>& runs,
                                            const Of& value_of, const Of& weight_of) const {
  std::vector<double> sizes;
  for (const std::size_t run : runs) sizes.push_back(sizes_[run]);
  const auto among = [&](const Of& of) {
    return [&](std::size_t run, std::uint32_t rank) { return of(runs[run], rank); };
  };
  return TimesBySize(sizes, target_, ranks_).by_rank(among(value_of), among(weight_of));
}

std::vector<double> TimesBySize::by_rank(const Of& value_of) const {
  return by_rank(value_of, [](std::size_t, std::uint32_t) { return 1.0; });
}

std::size_t TimesBySize::nearest_run() const {
  std::size_t nearest = 0;
  const auto distance = [&](std::size_t run) { return std::abs(std::log(sizes_[run] / target_)); };
  for (std::size_t run = 1; run < sizes_.size(); ++run)
    if (distance(run) <= distance(nearest)) nearest = run;
  return nearest;
}

}  // namespace huddle
