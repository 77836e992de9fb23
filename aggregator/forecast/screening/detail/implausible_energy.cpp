#include "aggregator/forecast/screening/detail/checks.hpp"

#include <algorithm>
#include <cmath>

#include "aggregator/predict/energy/plausible_energy.hpp"

namespace huddle {
namespace {

// A median of fewer is no measure.
constexpr std::size_t kFewestLike = 5;
constexpr std::size_t kRowsOfLikeTime = 100;
// Noise and rare slow runs stay within.
constexpr double kFactor = 10;
constexpr double kDeviations = 10;
// Of a normal distribution: standard deviation over median absolute deviation.
constexpr double kDeviationOfMedian = 1.4826;

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Minus infinity where no energy was counted: a slow meter counts nothing in short rows.
std::vector<double> log_powers(const MeasuredColumn& time, const MeasuredColumn& energy) {
  std::vector<double> logs(time.values.size());
  for (std::size_t row = 0; row < logs.size(); ++row)
    logs[row] = std::log(energy.values[row]) - std::log(time.values[row]);
  return logs;
}

void subtract_median(std::vector<double>& values, const std::vector<std::size_t>& indices) {
  std::vector<double> some;
  some.reserve(indices.size());
  for (const std::size_t index : indices) some.push_back(values[index]);
  const double median = median_of(std::move(some));
  for (const std::size_t index : indices) values[index] -= median;
}

// What is left of logarithms without the median of like rows. Small groups share one.
void subtract_group_medians(const MeasurementTable& rows, std::vector<double>& values) {
  const auto roles = {ColumnRole::processes, ColumnRole::threads, ColumnRole::frequency,
                      ColumnRole::nodes, ColumnRole::packages};
  const std::vector<std::size_t> order = rows_in_order(rows, false, roles);
  std::vector<std::size_t> others;
  for (const auto& [begin, end] : groups_in(rows, order, false, roles)) {
    std::vector<std::size_t> group;
    for (std::size_t i = begin; i < end; ++i)
      if (std::isfinite(values[order[i]])) group.push_back(order[i]);
    if (group.size() < kFewestLike)
      others.insert(others.end(), group.begin(), group.end());
    else
      subtract_median(values, group);
  }
  if (!others.empty()) subtract_median(values, others);
}

// Rows whose difference is far beyond those of rows that took about as long.
std::vector<std::size_t> find_outliers(const std::vector<double>& differences,
                                       const std::vector<double>& times) {
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row < times.size(); ++row)
    if (std::isfinite(differences[row])) order.push_back(row);
  if (order.empty()) return {};
  std::ranges::sort(order, {}, [&](std::size_t row) { return times[row]; });
  const std::size_t parts = std::clamp<std::size_t>(order.size() / kRowsOfLikeTime, 1, 50);
  std::vector<std::size_t> outliers;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = order.size() * part / parts;
    const std::size_t end = order.size() * (part + 1) / parts;
    std::vector<double> sizes;
    for (std::size_t i = begin; i < end; ++i) sizes.push_back(std::abs(differences[order[i]]));
    const double limit =
        std::max(std::log(kFactor), kDeviations * kDeviationOfMedian * median_of(std::move(sizes)));
    for (std::size_t i = begin; i < end; ++i)
      if (std::abs(differences[order[i]]) > limit) outliers.push_back(order[i]);
  }
  std::ranges::sort(outliers);
  return outliers;
}

}  // namespace

ImplausibleEnergy find_implausible_energy(const MeasurementTable& rows) {
  ImplausibleEnergy found;
  const MeasuredColumn* time = rows.find(ColumnRole::time);
  const MeasuredColumn* energy = rows.find(ColumnRole::energy);
  if (time == nullptr || energy == nullptr || rows.rows() == 0) return found;
  std::vector<double> logs = log_powers(*time, *energy);
  const MeasuredColumn* processes = rows.find(ColumnRole::processes);
  for (std::size_t row = 0; row < logs.size(); ++row) {
    const double nodes = processes == nullptr ? 1 : std::max(1.0, processes->values[row]);
    if (logs[row] > std::log(nodes * PowerBound{}.most.value)) found.beyond_nodes.push_back(row);
  }
  if (rows.rows() < kFewestLike) return found;
  subtract_group_medians(rows, logs);
  found.unlike_others = find_outliers(logs, time->values);
  return found;
}

}  // namespace huddle
