#include "aggregator/predict/hybrid/team_shapes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace huddle::predict {
namespace {

constexpr std::size_t kShapes = 16384;
constexpr std::size_t kKept = 512;
constexpr double kLeastEffective = 48;

// Error of shapes, and of what differs from run to run, relative to the time of a sample.
constexpr double kSampleError = 0.04;
// Of a pass, where its variance is not known.
constexpr double kAssumedDeviation = 0.05;

constexpr std::size_t kDimensions = 12;

double between(double share, double least, double most) {
  return least * std::pow(most / least, share);
}

std::uint32_t ceil_div(std::uint32_t of, std::uint32_t by) {
  return (of + by - 1) / by;
}

// Points that fill a cube evenly: multiples of the powers of 1/g, where g^(d+1) = g + 1 (Roberts).
std::vector<std::array<double, kDimensions>> even_points() {
  double root = 2;
  for (int i = 0; i < 40; ++i) root = std::pow(1 + root, 1.0 / (kDimensions + 1));
  std::vector<std::array<double, kDimensions>> points(kShapes);
  for (std::size_t i = 0; i < kShapes; ++i)
    for (std::size_t d = 0; d < kDimensions; ++d) {
      const double value =
          0.5 + static_cast<double>(i + 1) * std::pow(1 / root, static_cast<double>(d + 1));
      points[i][d] = value - std::floor(value);
    }
  return points;
}

double relative_variance(const TeamSample& sample) {
  const double square = sample.mean.value * sample.mean.value;
  const double of_pass =
      sample.passes > 1 ? sample.variance_s2 / square : kAssumedDeviation * kAssumedDeviation;
  return of_pass / static_cast<double>(std::max<std::uint64_t>(sample.passes, 1)) +
         kSampleError * kSampleError;
}

// Likelihoods of shapes: exp(prior - misfit / temper), as shares that sum to 1.
std::vector<double> shares(std::span<const float> log_prior, const std::vector<double>& misfits,
                           double temper) {
  std::vector<double> logs(misfits.size());
  for (std::size_t i = 0; i < logs.size(); ++i) logs[i] = log_prior[i] - misfits[i] / temper;
  const double most = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (double& value : logs) sum += value = value - most < -30 ? 0 : std::exp(value - most);
  for (double& value : logs) value /= sum;
  return logs;
}

double effective(const std::vector<double>& shares) {
  double squares = 0;
  for (const double share : shares) squares += share * share;
  return 1 / squares;
}

}  // namespace

TeamShapes::TeamShapes(const hybrid::TeamNode& node) : node_(node) {
  const double cores = node.packages * node.cores_per_package();
  const double caches = node.packages * node.dies_per_package;
  shapes_.reserve(kShapes);
  for (const auto& at : even_points()) {
    Shape shape;
    shape.serial = between(at[0], 1e-5, 0.1);
    shape.flow = between(at[1], 3e-3, 10);
    // Below 1: one core draws all.
    shape.saturating_cores = between(at[2], 0.7, 2.0 * std::max(node.cores_per_package(), 2U));
    shape.streamed = at[3];
    shape.caches = between(at[4], 0.25, 8 * caches);
    shape.overlap = at[5];
    shape.doubling = between(at[6], 1e-6, 0.1) / cores;
    shape.further_package = 4 * at[7] * shape.doubling;
    shape.switching = 15 * at[8] * shape.doubling;
    shape.imbalance = 0.15 * at[9] * at[9];
    shape.saturating_in_cache = between(at[10], 0.7, 2.0 * std::max(node.cores_per_die, 2U));
    shape.cached = at[11] * between(at[11], 3e-3, 1);
    shapes_.push_back(shape);
  }
}

std::size_t TeamShapes::count() {
  return kShapes;
}

double TeamShapes::log_time(const Shape& shape,
                            const hybrid::TeamConfiguration& configuration) const {
  const double slower =
      configuration.clock.value > 0 ? node_.nominal.value / configuration.clock.value : 1;
  const double threads = configuration.threads;
  const std::uint32_t on_core = ceil_div(configuration.threads, configuration.cores);
  const std::uint32_t in_package = ceil_div(configuration.cores, configuration.packages);
  const double caches = configuration.packages * ceil_div(in_package, node_.cores_per_die);
  const double work = slower * on_core / threads * (1 + shape.imbalance * (1 - 1 / threads));
  const double missed =
      shape.streamed + (1 - shape.streamed) * std::max(0.0, 1 - caches / shape.caches);
  const double drawing =
      std::min({static_cast<double>(configuration.cores), caches * shape.saturating_in_cache,
                configuration.packages * shape.saturating_cores});
  const double flow = shape.flow * missed / drawing +
                      shape.flow * shape.cached * (1 - missed) / configuration.cores;
  const double together = std::max(work, flow) + (1 - shape.overlap) * std::min(work, flow);
  const double barriers = shape.doubling * std::log2(threads) +
                          shape.further_package * (configuration.packages - 1) +
                          shape.switching * (on_core - 1);
  return std::log(together + slower * shape.serial + barriers);
}

std::shared_ptr<const std::vector<float>> TeamShapes::log_times(
    const hybrid::TeamConfiguration& configuration) const {
  const std::lock_guard lock(mutex_);
  auto& known = log_times_[configuration];
  if (!known) {
    std::vector<float> made(shapes_.size());
    for (std::size_t i = 0; i < made.size(); ++i)
      made[i] = static_cast<float>(log_time(shapes_[i], configuration));
    known = std::make_shared<const std::vector<float>>(std::move(made));
  }
  return known;
}

LikelyShapes::LikelyShapes(const TeamShapes& shapes, std::span<const float> log_prior,
                           std::span<const TeamSample> samples)
    : shapes_(&shapes) {
  // A shape's factor is the mean of what each sample says of it, and its misfit what they differ
  // by.
  std::vector<double> sums(kShapes);
  std::vector<double> squares(kShapes);
  double total = 0;
  for (const TeamSample& sample : samples) {
    const auto log_times = shapes.log_times(sample.configuration);
    const double weight = 1 / relative_variance(sample);
    const double log_sample = std::log(sample.mean.value);
    total += weight;
    for (std::size_t i = 0; i < kShapes; ++i) {
      const double factor = log_sample - (*log_times)[i];
      sums[i] += weight * factor;
      squares[i] += weight * factor * factor;
    }
  }
  std::vector<double> misfits(kShapes);
  for (std::size_t i = 0; i < kShapes; ++i)
    misfits[i] = std::max(0.0, (squares[i] - sums[i] * sums[i] / total) / 2);
  double temper = 1;
  std::vector<double> likely = shares(log_prior, misfits, temper);
  while (effective(likely) < kLeastEffective && temper < 1e6)
    likely = shares(log_prior, misfits, temper *= 1.5);
  // Each as often as it is likely, evenly along their sum.
  double seen = 0;
  std::size_t next = 0;
  kept_.reserve(kKept);
  for (std::size_t i = 0; i < kShapes && next < kKept; ++i)
    for (seen += likely[i]; next < kKept && (static_cast<double>(next) + 0.5) / kKept < seen;
         ++next)
      kept_.push_back({static_cast<std::uint32_t>(i), sums[i] / total});
}

LikelyShapes::Spread LikelyShapes::at(const hybrid::TeamConfiguration& target) const {
  const auto log_times = shapes_->log_times(target);
  std::vector<double> values;
  values.reserve(kept_.size());
  double sum = 0;
  for (const Kept& kept : kept_) {
    values.push_back(kept.log_factor + (*log_times)[kept.shape]);
    sum += values.back();
  }
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  Spread spread;
  spread.median = values[values.size() / 2];
  const double mean = sum / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  spread.deviation = std::sqrt(squares / n);
  spread.low = values[static_cast<std::size_t>(0.05 * (n - 1))];
  spread.high = values[static_cast<std::size_t>(0.95 * (n - 1) + 0.999)];
  return spread;
}

void LikelyShapes::add_to(std::span<double> weights) const {
  for (const Kept& kept : kept_) weights[kept.shape] += 1 / static_cast<double>(kept_.size());
}

}  // namespace huddle::predict
