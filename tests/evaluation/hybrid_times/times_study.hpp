#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/predict/hybrid/target_model.hpp"
#include "tests/evaluation/hybrid_times/studied_nodes.hpp"

namespace huddle::hybrid {

/// The means by which predictions are made.
struct Means {
  /// The number of published samples that are used: 1 to 3.
  std::size_t samples = 3;
  bool events = true;
  bool training = true;
  predict::TimesMethod method = predict::TimesMethod::kCombined;
  /// Teams keep their size and share cores; otherwise each core has one thread.
  bool packed = true;
};

/// One prediction beside what is true.
struct Comparison {
  TeamConfiguration target;
  /// |predicted / true - 1|.
  double error = 0;
  /// `held`: true if the interval holds the true time; `width`: high / low of the interval.
  bool held = false;
  double width = 1;
};

struct StudyOutcome {
  std::vector<Comparison> comparisons;

  void add(const StudyOutcome& other);
  /// The share of predictions with an error of at most `most`.
  [[nodiscard]] double share_within(double most) const;
  [[nodiscard]] double error_quantile(double share) const;
  [[nodiscard]] double coverage() const;
  [[nodiscard]] double median_width() const;
};

/// Draws programs, measures each phase on all configurations (six passes each), and predicts each
/// program's phases from its samples and from training with the other six programs. Configurations
/// that were samples are not compared. The truth is the mean time without noise.
StudyOutcome study_times(const StudiedNode& node, std::uint64_t seed, const Means& means);

}  // namespace huddle::hybrid
