#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "aggregator/efficiency/scaling.hpp"

namespace huddle::efficiency {
namespace {

using Kind = ScalingOutlook::Kind;

constexpr double kNoLoss = 0.95;
constexpr double kFits = 0.05;
constexpr double kFarthest = 10;

// The efficiency of a run beside the smallest one, whose number of threads it has `times`.
struct Point {
  double times = 1;
  double efficiency = 1;
};

// The fastest run of each number of threads, the smallest first.
std::vector<const ScalingRow*> fastest_by_size(const std::vector<ScalingRow>& rows) {
  std::vector<const ScalingRow*> sizes;
  for (const ScalingRow& row : rows) {
    if (sizes.empty() || sizes.back()->sample.threads != row.sample.threads)
      sizes.push_back(&row);
    else if (row.speedup > sizes.back()->speedup)
      sizes.back() = &row;
  }
  return sizes;
}

// The logarithm of how much less a part is now; nothing where it is not known.
std::optional<double> loss(std::optional<double> before, std::optional<double> now) {
  if (!before || !now || *before <= 0 || *now <= 0) return std::nullopt;
  return std::log(*before / *now);
}

std::optional<double> openmp_of(const ScalingRow& row) {
  const auto& openmp = row.sample.efficiency.openmp;
  return openmp ? std::optional(openmp->parallel()) : std::nullopt;
}

ScalingFactor factor_of(const ScalingRow& first, const ScalingRow& last) {
  const MpiEfficiency& before = first.sample.efficiency.mpi;
  const MpiEfficiency& now = last.sample.efficiency.mpi;
  const bool has_parts = last.instructions && last.ipc && last.clock;
  const auto part = [&](std::optional<double> own) { return has_parts ? own : std::nullopt; };
  const std::array<std::pair<ScalingFactor, std::optional<double>>, 7> losses = {{
      {ScalingFactor::kLoadBalance, loss(before.load_balance, now.load_balance)},
      {ScalingFactor::kCommunication, loss(before.communication, now.communication)},
      {ScalingFactor::kOpenMp, loss(openmp_of(first), openmp_of(last))},
      {ScalingFactor::kComputation,
       has_parts ? std::nullopt : loss(first.computation, last.computation)},
      {ScalingFactor::kInstructions, loss(part(first.instructions), part(last.instructions))},
      {ScalingFactor::kIpc, loss(part(first.ipc), part(last.ipc))},
      {ScalingFactor::kClock, loss(part(first.clock), part(last.clock))},
  }};
  constexpr double kLeast = 0.005;
  std::pair<ScalingFactor, double> most = {ScalingFactor::kUnknown, kLeast};
  for (const auto& [factor, lost] : losses)
    if (lost.value_or(0) > most.second) most = {factor, *lost};
  return most.first;
}

// Least squares of 1 / efficiency - 1 = share x (times - 1), which is Amdahl's law.
double amdahl_share(const std::vector<Point>& points) {
  double products = 0;
  double squares = 0;
  for (const Point& point : points) {
    products += (1 / point.efficiency - 1) * (point.times - 1);
    squares += (point.times - 1) * (point.times - 1);
  }
  return products / squares;
}

void foresee(const std::vector<Point>& points, std::uint32_t first, ScalingOutlook& outlook) {
  const double share = amdahl_share(points);
  for (const Point& point : points)
    outlook.off =
        std::max(outlook.off, std::abs(1 / (1 + share * (point.times - 1)) - point.efficiency));
  if (outlook.off > kFits || share <= 0) {
    outlook.kind = Kind::kNoLaw;
    return;
  }
  const double times = 1 + 1 / share;
  outlook.kind = times > kFarthest * points.back().times ? Kind::kFar : Kind::kForeseen;
  outlook.limit = static_cast<std::uint64_t>(std::llround(times * first));
  outlook.most_speedup = 1 / share;
}

}  // namespace

std::string_view name_of(ScalingFactor factor) {
  constexpr std::array<std::string_view, 8> kNames = {
      "load balance", "communication", "OpenMP's efficiency",       "computation",
      "instructions", "IPC",           "the clock while computing", ""};
  return kNames[static_cast<std::size_t>(factor)];
}

std::string_view name_of(ScalingOutlook::Kind kind) {
  constexpr std::array<std::string_view, 7> kNames = {
      "one_size", "stopped", "no_loss", "two_sizes", "no_law", "foreseen", "far"};
  return kNames[static_cast<std::size_t>(kind)];
}

ScalingOutlook scaling_outlook_of(const std::vector<ScalingRow>& rows) {
  const std::vector<const ScalingRow*> sizes = fastest_by_size(rows);
  ScalingOutlook outlook;
  if (sizes.size() < 2) return outlook;
  const std::uint32_t first = sizes.front()->sample.threads;
  std::vector<Point> points;
  for (const ScalingRow* row : sizes) {
    const double times = static_cast<double>(row->sample.threads) / first;
    outlook.efficiency = row->speedup / sizes.front()->speedup / times;
    points.push_back({times, outlook.efficiency});
  }
  outlook.factor = factor_of(*sizes.front(), *sizes.back());
  const auto* best =
      *std::ranges::max_element(sizes, {}, [](const ScalingRow* row) { return row->speedup; });
  if (best != sizes.back()) {
    outlook.kind = Kind::kStopped;
    outlook.limit = best->sample.threads;
  } else if (outlook.efficiency >= kNoLoss) {
    outlook.kind = Kind::kNoLoss;
  } else if (sizes.size() == 2) {
    outlook.kind = Kind::kTwoSizes;
  } else {
    foresee(points, first, outlook);
  }
  return outlook;
}

}  // namespace huddle::efficiency
