#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "aggregator/predict/hybrid/phase_samples.hpp"

namespace huddle::predict {

/// Behaviours of phases on one type of node: some thousands of shapes, each the time of a phase on
/// any configuration but for a factor. A shape has serial work, work that cores share (a core that
/// carries ceil(threads / cores) threads takes as many times as long), barriers that grow with the
/// doublings of the team, with packages and with threads that share a core, and a flow to memory
/// that no clock speeds up, that packages saturate, and that shrinks as the team occupies more
/// last-level caches. Work and flow overlap in part. All of these are assumed, in wide ranges.
/// Functions may be called by several threads at a time.
class TeamShapes {
 public:
  explicit TeamShapes(const hybrid::TeamNode& node);

  [[nodiscard]] static std::size_t count();

  /// The logarithm of the time on a configuration, by shape. Made when first asked for, and kept.
  [[nodiscard]] std::shared_ptr<const std::vector<float>> log_times(
      const hybrid::TeamConfiguration& configuration) const;

 private:
  struct Shape {
    // Times on one core at the top clock, relative to the work that cores share.
    double serial = 0;
    double flow = 0;
    double doubling = 0;
    double further_package = 0;
    double switching = 0;
    /// Cores of a package that draw all that it gets from memory.
    double saturating_cores = 1;
    /// The same of the cores at one last-level cache.
    double saturating_in_cache = 1;
    /// Time of a last-level cache for what it holds, relative to memory.
    double cached = 0;
    /// The share of the flow that caches do not hold, and how many caches hold all of the rest.
    double streamed = 0;
    double caches = 1;
    /// 0: work and flow follow each other; 1: the longer hides the other.
    double overlap = 0;
    double imbalance = 0;
  };
  [[nodiscard]] double log_time(const Shape& shape,
                                const hybrid::TeamConfiguration& configuration) const;

  hybrid::TeamNode node_;
  std::vector<Shape> shapes_;
  mutable std::mutex mutex_;
  mutable std::map<hybrid::TeamConfiguration, std::shared_ptr<const std::vector<float>>> log_times_;
};

/// Knowledge of a phase: shapes, as often as they are likely, each with its factor.
class LikelyShapes {
 public:
  /// The shapes that agree with the samples; those not at all likely are left out. `log_prior`: by
  /// shape, how likely it was before. `shapes` must outlive this. Where hardly any shape agrees,
  /// the samples count for less, so that what remains is many shapes, not the one that errs least.
  LikelyShapes(const TeamShapes& shapes, std::span<const float> log_prior,
               std::span<const TeamSample> samples);

  /// Distribution of the logarithm of the time in seconds.
  struct Spread {
    double median = 0;
    double deviation = 0;
    /// Quantiles of 5 and 95 %.
    double low = 0;
    double high = 0;
  };
  [[nodiscard]] Spread at(const hybrid::TeamConfiguration& target) const;

  /// Adds to each shape how likely it is; these sum to 1.
  void add_to(std::span<double> weights) const;

 private:
  struct Kept {
    std::uint32_t shape = 0;
    double log_factor = 0;
  };
  const TeamShapes* shapes_;
  std::vector<Kept> kept_;
};

}  // namespace huddle::predict
