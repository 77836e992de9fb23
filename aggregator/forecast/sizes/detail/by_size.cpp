#include "aggregator/forecast/sizes/detail/by_size.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace huddle {
namespace {

constexpr std::array kExponents = {1.0, 2.0, 0.5, 3.0, 1.0 / 3, 2.0 / 3, 1.5, 4.0 / 3};
constexpr double kGoesThrough = 0.02;
// A form must be clearly nearer to the counts than one that was tried before it.
constexpr double kClearly = 0.5;

// A form that goes through the counts at the first and the last size: what it says at the target,
// and how far it is off in between, at most.
struct Form {
  double at_target = 0;
  double off = std::numeric_limits<double>::infinity();
};

double off_by(double predicted, double count) {
  // Half a message more or less is rounding.
  return std::max(std::abs(predicted - count) - 0.5, 0.0) / std::max(count, 1.0);
}

template <class Predict>
Form form_of(std::span<const double> counts, double at_target, Predict&& predict) {
  Form form{std::max(at_target, 0.0), 0};
  for (std::size_t i = 0; i < counts.size(); ++i)
    form.off = std::max(form.off, off_by(predict(i), counts[i]));
  return form;
}

void keep_better(Form& best, const Form& form) {
  if (form.off < kClearly * best.off) best = form;
}

double power_through(double from, double to, double count_from, double count_to, double size) {
  return count_from *
         std::exp(std::log(count_to / count_from) * std::log(size / from) / std::log(to / from));
}

Configuration configuration(double size, std::uint32_t ranks) {
  Configuration where;
  where.size = size;
  where.processes = ranks;
  return where;
}

}  // namespace

CountsBySize::CountsBySize(std::span<const double> sizes, double target) : target_(target) {
  for (const double size : sizes) {
    if (sizes_.empty() || sizes_.back() != size) sizes_.push_back(size);
    size_of_run_.push_back(sizes_.size() - 1);
  }
  for (const double exponent : kExponents) {
    std::vector<double>& powers = powers_.emplace_back();
    for (const double size : sizes_) powers.push_back(std::pow(size, exponent));
    powers.push_back(std::pow(target, exponent));
  }
}

double CountsBySize::at_target(std::span<const double> counts) const {
  std::vector<double> means(sizes_.size());
  std::vector<double> runs(sizes_.size());
  for (std::size_t run = 0; run < counts.size(); ++run) {
    means[size_of_run_[run]] += counts[run];
    runs[size_of_run_[run]] += 1;
  }
  for (std::size_t i = 0; i < means.size(); ++i) means[i] /= runs[i];
  const double first = means[0];
  const double last = means[means.size() - 1];
  if (std::all_of(means.begin(), means.end(), [&](double mean) { return mean == first; }))
    return first;
  if (means.size() < 3) return by_neighbours(means);
  Form best;
  if (first > 0 && last > 0) {
    const auto power = [&](double size) {
      return power_through(sizes_.front(), sizes_.back(), first, last, size);
    };
    best = form_of(means, power(target_), [&](std::size_t i) { return power(sizes_[i]); });
  }
  for (const std::vector<double>& powers : powers_) {
    const double slope = (last - first) / (powers[means.size() - 1] - powers[0]);
    const auto affine = [&](std::size_t i) { return first + slope * (powers[i] - powers[0]); };
    keep_better(best, form_of(means, affine(means.size()), affine));
  }
  return best.off <= kGoesThrough ? best.at_target : by_neighbours(means);
}

double CountsBySize::by_neighbours(std::span<const double> counts) const {
  const auto above = std::lower_bound(sizes_.begin(), sizes_.end(), target_) - sizes_.begin();
  const auto last = static_cast<std::ptrdiff_t>(sizes_.size()) - 1;
  const auto upper = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(above, 1, last));
  const std::size_t lower = upper - 1;
  if (counts[lower] > 0 && counts[upper] > 0)
    return power_through(sizes_[lower], sizes_[upper], counts[lower], counts[upper], target_);
  const double share = (target_ - sizes_[lower]) / (sizes_[upper] - sizes_[lower]);
  return std::max(counts[lower] + share * (counts[upper] - counts[lower]), 0.0);
}

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
  const std::optional<Estimate> found = law(values);
  return found ? found->value : counts_.at_target(values);
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
  std::vector<double> found(ranks_);
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
    found[rank] = weights > 0 ? mean * share / weights : mean;
  }
  return found;
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
