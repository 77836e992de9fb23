#pragma once

// Predicts the computation of one program on any pattern and at any frequency. Start reading here:
// it chooses among the models of simple_model, paper_model and shared_model, which learn from
// samples (samples.hpp) of this program and from training programs (training.hpp) or, without such,
// from what is usual (usual_contention()).

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/predict/computation/samples.hpp"
#include "aggregator/predict/computation/training.hpp"
#include "aggregator/predict/pattern/placement.hpp"
#include "profiles/vocabulary/computation_method.hpp"

namespace huddle::predict {

/// The source of the dependence of computation on the frequency of the cores; the first that there
/// is counts.
enum class FrequencyBasis : std::uint8_t {
  kRuns,     ///< runs at several frequencies
  kModel,    ///< the model of contention for caches and memory
  kIpc,      ///< instructions per cycle
  kNothing,  ///< nothing: all computation is taken to grow with 1/f
};

/// A predicted computation.
struct ComputationForecast {
  /// Mean over the ranks.
  Seconds time;
  /// Time of the rank that takes longest, by contention or because it has more to compute.
  Seconds slowest;
  /// `time` lies between them with 90 % probability, by the errors on programs left out of
  /// training. By kPrior: by what the samples and usual programs leave possible. By kSimple: by how
  /// samples of one pattern differ, and for patterns that were not measured between those that
  /// share less and those that share more, since contention only grows with density. Absent if the
  /// error is unknown: by kSimple without samples that share as much.
  std::optional<Seconds> low;
  std::optional<Seconds> high;
  /// True if samples ran on these very patterns.
  bool measured = false;
};

/// Settings of a predictor.
struct PredictorOptions {
  /// Nothing: with a model, the one that errs less on programs left out; without, kPrior.
  std::optional<ComputationMethod> method;
  /// Number of packages, dies and cores of a node: intervals are wider if the model was learnt on
  /// nodes of another shape.
  Pattern node{1, 1, 1};
  /// Memory streams of the machine, for kPrior; may be empty.
  std::vector<MemoryStream> memory_streams = {};
  /// From runs at several frequencies, see core_time_by_frequencies(); absent without such.
  std::optional<Seconds> core_time = {};
};

/// Predicts the computation of one program from its samples. May be used by several threads.
class ComputationPredictor {
 public:
  /// `model` may be null. Samples without groups are of a program that does not compute: it takes
  /// no time. Throws UsageError if a method was asked for that can't be: kPaper and kShared without
  /// a model; kPaper with samples that the training programs did not run on.
  ComputationPredictor(ProgramSamples samples, const ComputationModel* model,
                       const PredictorOptions& options);

  /// `core_slowdown`, above 0: the frequency of the samples over that of the cores.
  [[nodiscard]] ComputationForecast on(const Pattern& pattern, double core_slowdown = 1) const;
  /// On a placement, each class of ranks by itself; one class or more. `loads`, by rank: how much
  /// more each has to compute than the mean rank (rank_loads()); empty if all have the same.
  [[nodiscard]] ComputationForecast on(const std::vector<RankClass>& classes,
                                       double core_slowdown = 1,
                                       std::span<const double> loads = {}) const;

  /// The method that on() uses for patterns that were not measured, as far as it can: where kPaper
  /// has no fit for a pattern, it is kShared.
  [[nodiscard]] ComputationMethod method() const { return method_; }
  /// True if samples ran on different patterns, and so show how contention slows the program down.
  [[nodiscard]] bool saw_contention() const { return samples_.patterns().size() > 1; }
  /// The basis that on() uses for other frequencies.
  [[nodiscard]] FrequencyBasis frequency_basis() const { return frequency_basis_; }
  /// Why to trust it less: one sentence each, for people.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  void choose_method(const ComputationModel& model, const PredictorOptions& options);
  void assume_contention(const PredictorOptions& options);
  void look_for_doubts(const Pattern& node);
  void choose_frequency_basis(std::optional<Seconds> by_runs, std::optional<Seconds> by_ipc);
  [[nodiscard]] ComputationForecast of_class(const Sharing& sharing) const;
  [[nodiscard]] ComputationForecast stretched(ComputationForecast forecast, const Sharing& sharing,
                                              double core_slowdown) const;
  [[nodiscard]] ComputationForecast as_measured(const Pattern& pattern) const;
  [[nodiscard]] ComputationForecast like_nearest(const Sharing& sharing) const;
  [[nodiscard]] PredictedTime unmeasured(const Sharing& sharing) const;
  [[nodiscard]] Seconds as_physics_allows(Seconds time, const Sharing& sharing) const;
  [[nodiscard]] Seconds simple(const Sharing& sharing) const;

  ProgramSamples samples_;
  ComputationMethod method_ = ComputationMethod::kSimple;
  std::vector<std::string> notes_;
  std::optional<SharedPrediction> shared_;
  PaperModel paper_;
  double paper_relative_error_ = 0;
  double doubt_ = 1;
  /// Standard error that the samples themselves show, of log times.
  double unexplained_ = 0;
  FrequencyBasis frequency_basis_ = FrequencyBasis::kNothing;
  /// Time that follows the clock of the cores, for kRuns and kIpc.
  Seconds core_time_;
  /// The most packages, dies and cores that training programs ran on; the node's without such.
  Pattern trained_{1, 1, 1};
};

/// Returns each rank's computation over the mean of the ranks: its share of the problem, whatever
/// slows it down on its place. By rank, mean 1.
///
/// In each run it is the rank's time over what `predictor` says of ranks that share as it did; of
/// several runs the mean counts. Runs in which all ranks share alike need no prediction, and if
/// there are such, only they count. All 1 where nothing shows it: no run whose ranks stayed on a
/// die, or one without computation. `runs`: complete profiles of equally many ranks, one or more,
/// on nodes of this topology.
std::vector<double> rank_loads(const std::vector<const Profile*>& runs,
                               const commgraph::NodeTopology& node,
                               const ComputationPredictor& predictor);

}  // namespace huddle::predict
