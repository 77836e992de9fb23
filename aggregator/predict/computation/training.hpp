#pragma once

// Learns how computation slows down on a machine: fits the shared-resource model and the paper's to
// training programs, and measures each on programs left out.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/predict/computation/paper_model.hpp"
#include "aggregator/predict/computation/samples.hpp"
#include "aggregator/predict/computation/shared_model.hpp"

namespace huddle::predict {

/// One prediction for a program that was left out of training.
struct LeftOutPrediction {
  std::string program;
  std::string run;
  Pattern pattern;
  Seconds measured;
  Seconds predicted;

  /// Predicted over measured, minus 1.
  [[nodiscard]] double error() const { return predicted / measured - 1; }

  friend bool operator==(const LeftOutPrediction&, const LeftOutPrediction&) = default;
};

/// Errors of a model on programs left out of training.
struct ModelErrors {
  std::vector<LeftOutPrediction> predictions;
  /// Mean and largest absolute error, as a share of the measured time; NaN without predictions.
  [[nodiscard]] double mean() const;
  [[nodiscard]] double worst() const;

  friend bool operator==(const ModelErrors&, const ModelErrors&) = default;
};

/// Both models, fitted for programs with hardware events, or for those with times alone.
struct FittedModels {
  bool with_events = false;
  /// Where a program's samples are taken to have run, in the errors and in the paper's fits.
  std::vector<Pattern> sample_patterns;
  SharedModel shared;
  ModelErrors shared_errors;
  PaperModel paper;
  ModelErrors paper_errors;
  /// Standard error of the paper's log times on programs left out.
  double paper_relative_error = 0;

  /// True if the paper's model errs less than the shared-resource model on programs left out.
  [[nodiscard]] bool paper_is_better() const;

  friend bool operator==(const FittedModels&, const FittedModels&) = default;
};

/// The model of computation on one machine.
struct ComputationModel {
  /// The programs that it was learnt from.
  std::vector<ProgramSamples> programs;
  /// Times alone first; a second one for hardware events if at least three programs had them.
  std::vector<FittedModels> fits;

  /// The fits for a program with or without events.
  [[nodiscard]] const FittedModels& fits_for(bool with_events) const;
};

struct TrainingOptions {
  /// The patterns that programs to come will be sampled on; empty: the pair out of a few on which
  /// left-out programs are predicted best, or the sparsest pattern if there are only two.
  std::vector<Pattern> sample_patterns;
  /// Number of machines that are tried for each shape and program left out.
  std::size_t evaluations = 25;
};

/// Fits both models to `programs`, and measures each by leaving out one program after the other.
/// `progress(done, all)` counts steps.
///
/// Throws UsageError if there are fewer than three programs, if fewer than two patterns are common
/// to all, if a program lacks one of the sample patterns that were asked for, or if these are all.
ComputationModel train(const std::vector<ProgramSamples>& programs,
                       const TrainingOptions& options = {},
                       const std::function<void(std::size_t, std::size_t)>& progress = {});

}  // namespace huddle::predict
