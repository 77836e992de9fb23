#include "aggregator/forecast/sizes/counts_by_size.hpp"

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

double off_by(double told, double count) {
  // Half a message more or less is rounding.
  return std::max(std::abs(told - count) - 0.5, 0.0) / std::max(count, 1.0);
}

template <class Told>
Form form_of(std::span<const double> counts, double at_target, Told&& told) {
  Form form{std::max(at_target, 0.0), 0};
  for (std::size_t i = 0; i < counts.size(); ++i)
    form.off = std::max(form.off, off_by(told(i), counts[i]));
  return form;
}

void keep_better(Form& best, const Form& form) {
  if (form.off < kClearly * best.off) best = form;
}

double power_through(double from, double to, double count_from, double count_to, double size) {
  return count_from *
         std::exp(std::log(count_to / count_from) * std::log(size / from) / std::log(to / from));
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

}  // namespace huddle
