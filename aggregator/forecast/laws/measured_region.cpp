#include "aggregator/forecast/laws/measured_region.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "aggregator/forecast/laws/interval_widths.hpp"
#include "aggregator/forecast/laws/law_samples.hpp"

namespace huddle::forecast {
namespace {

constexpr double kSameFactor = 1e-9;

}  // namespace

std::vector<std::string> MeasuredRegion::Place::names() const {
  std::vector<std::string> all;
  for (std::size_t factor = 0; factor < kFactors; ++factor)
    if (factors[factor]) all.emplace_back(factor_name(factor));
  for (const auto& [factor, given] : together)
    all.push_back(std::string(factor_name(factor)) + " with " + std::string(factor_name(given)));
  return all;
}

MeasuredRegion::MeasuredRegion(const std::vector<Configuration>& measured) {
  for (const Configuration& where : measured) measured_.push_back(factors_of(where));
  levels_ = levels_of(measured_);
  for (std::size_t factor = 0; factor < kFactors; ++factor)
    for (std::size_t given = 0; given < factor; ++given)
      lines_[factor][given] = is_line(given, factor);
}

double MeasuredRegion::outside(const Factors& where, std::size_t one, std::size_t other) const {
  double most = 0;
  for (const double up : {1.0, -1.0})
    for (const double side : {1.0, -1.0}) {
      double least = std::numeric_limits<double>::infinity();
      for (const Factors& measured : measured_)
        least = std::min(least, std::max({0.0, up * std::log(where[one] / measured[one]),
                                          side * std::log(where[other] / measured[other])}));
      most = std::max(most, least);
    }
  return most;
}

bool MeasuredRegion::is_line(std::size_t one, std::size_t other) const {
  const std::size_t count = levels_[one].size();
  if (count < 2 || levels_[other].size() != count) return false;
  std::set<std::pair<double, double>> pairs;
  for (const Factors& measured : measured_) pairs.emplace(measured[one], measured[other]);
  if (pairs.size() != count) return false;
  const auto rises = [](const auto& left, const auto& right) { return left.second < right.second; };
  const auto falls = [](const auto& left, const auto& right) { return left.second > right.second; };
  return std::is_sorted(pairs.begin(), pairs.end(), rises) ||
         std::is_sorted(pairs.begin(), pairs.end(), falls);
}

double MeasuredRegion::off_line(const Factors& where, std::size_t one, std::size_t other) const {
  const std::vector<double>& from = levels_[one];
  const std::size_t last = from.size() - 1;
  const auto above = std::lower_bound(from.begin(), from.end(), where[one]);
  const auto next =
      std::clamp<std::size_t>(static_cast<std::size_t>(above - from.begin()), 1, last);
  const auto other_at = [&](double value) {
    const auto found =
        std::ranges::find(measured_, value, [&](const Factors& at) { return at[one]; });
    return std::log((*found)[other]);
  };
  const double share =
      std::log(where[one] / from[next - 1]) / std::log(from[next] / from[next - 1]);
  const double before = other_at(from[next - 1]);
  const double line = before + share * (other_at(from[next]) - before);
  return std::abs(std::log(where[other]) - line);
}

MeasuredRegion::Place MeasuredRegion::place_of(const Configuration& configuration) const {
  const Factors where = factors_of(configuration);
  Place place;
  for (std::size_t factor = 0; factor < kFactors; ++factor) {
    const Lies lies = where_lies(levels_[factor], where[factor]);
    place.factors[factor] = lies == Lies::above || lies == Lies::below;
  }
  for (std::size_t factor = 0; factor < kFactors; ++factor)
    for (std::size_t given = 0; given < factor; ++given) {
      const bool line = lines_[factor][given];
      if (!line && (place.factors[factor] || place.factors[given])) continue;
      const double distance = line ? off_line(where, given, factor) : outside(where, factor, given);
      if (distance <= kSameFactor) continue;
      place.together.emplace_back(factor, given);
      place.gap = std::max(place.gap, distance);
    }
  return place;
}

}  // namespace huddle::forecast
