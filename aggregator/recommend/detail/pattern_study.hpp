#pragma once

// The prediction of one pattern after the other for one program, with what they share made once.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/predict/communication/communication_estimate.hpp"
#include "aggregator/predict/communication/communication_time.hpp"
#include "aggregator/predict/computation/measured_densities.hpp"
#include "aggregator/predict/computation/model_quality.hpp"
#include "aggregator/predict/computation/predictor.hpp"
#include "aggregator/predict/computation/waiting_pace.hpp"
#include "aggregator/predict/energy/pattern_energy.hpp"
#include "aggregator/predict/pattern/reference.hpp"
#include "aggregator/recommend/detail/memory_need.hpp"
#include "aggregator/recommend/recommendation.hpp"
#include "commgraph/graph/comm_graph.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::recommend {

/// Runs of one program, grouped by frequency. The profiles are not owned.
struct RunsByFrequency {
  /// In the order in which they were given. Runs that don't know their frequency are here.
  std::vector<const Profile*> nominal;
  /// The time for which the cores are busy of a run's computation at the nominal frequency; nothing
  /// if no pattern was run at two frequencies.
  std::optional<Seconds> core_time;
};

/// All runs, whatever their frequency was; for questions in which frequencies do not matter.
RunsByFrequency all_as_nominal(const std::vector<Profile>& profiles);

/// `profiles`: one or more, complete. Throws UsageError if the first run, whose traffic counts and
/// which others are compared with, had another frequency than the nominal one.
RunsByFrequency sort_by_frequency(const std::vector<Profile>& profiles,
                                  const Frequencies& frequencies,
                                  const commgraph::NodeTopology& node);

/// The energy that a choice looks at: the machine's, where nodes that the job leaves unused are not
/// used by others, else the job's; absent if it is unknown.
std::optional<Joules> deciding_energy(const PatternForecast& forecast);

/// The figure of a forecast that is to be least; 0 where only the paper's order counts.
double objective_of(const PatternForecast& forecast, Objective objective);

/// Predicts one pattern after the other for one program, machine and reference: what recommend()
/// looks at again for each pattern is made once. Everything that it is given must outlive it.
/// examine() may be called by several threads.
class PatternStudy {
 public:
  /// `runs`: of profiles as for recommend(), checked already; so are the options. Throws what
  /// ComputationPredictor does.
  PatternStudy(const RunsByFrequency& runs, const Machine& machine,
               const commgraph::NodeTopology& node, const predict::Reference& reference,
               const RecommendationOptions& options);

  [[nodiscard]] const PatternForecast& reference_forecast() const { return reference_forecast_; }
  [[nodiscard]] const predict::ComputationPredictor& predictor() const { return predictor_; }
  /// The predictor of the options' model; nothing without one.
  [[nodiscard]] const std::optional<predict::ModelQuality>& model_quality() const {
    return model_quality_;
  }
  /// See Recommendation::choice_notes.
  [[nodiscard]] std::vector<std::string> notes() const;

  /// A mapping for the pattern that is nearly as good as the one of examine_thoroughly(), in a
  /// small part of its time: by rank, the core, among those that the pattern uses.
  [[nodiscard]] std::vector<std::uint32_t> quick_mapping(const predict::Pattern& pattern) const {
    return mapping_on(pattern, true);
  }
  /// Consecutive ranks together.
  [[nodiscard]] std::vector<std::uint32_t> rank_order() const;
  /// True if the pattern would be beyond the bound even if its ranks exchanged nothing.
  [[nodiscard]] bool is_ruled_out_by_computation(const predict::Pattern& pattern) const;
  /// The pattern at the best of the frequencies that may be set, with a mapping of its own or of
  /// one with as many ranks a node.
  [[nodiscard]] Candidate examine(const predict::Pattern& pattern,
                                  std::vector<std::uint32_t> core_of) const;
  /// With the best mapping that is known.
  [[nodiscard]] Candidate examine_thoroughly(const predict::Pattern& pattern) const {
    return examine(pattern, mapping_on(pattern, false));
  }

 private:
  // The part that does not depend on frequency.
  struct Placement {
    std::optional<std::vector<predict::RankClass>> classes;
    Seconds communication_bound;
    predict::BusyParts busy;
  };

  [[nodiscard]] std::vector<std::uint32_t> mapping_on(const predict::Pattern& pattern,
                                                      bool quick) const;
  [[nodiscard]] Placement placement_of(const std::vector<predict::Location>& locations) const;
  void predict(PatternForecast& forecast, const Placement& placement,
               std::optional<Hertz> frequency) const;
  [[nodiscard]] PatternForecast best_of_frequencies(const PatternForecast& forecast,
                                                    const Placement& placement) const;
  [[nodiscard]] bool better(const PatternForecast& a, const PatternForecast& b) const;
  void set_interval(PatternForecast& forecast,
                    const predict::ComputationForecast& computation) const;
  void set_energy(PatternForecast& forecast, const predict::BusyParts& busy) const;
  [[nodiscard]] std::uint32_t most_nodes() const;
  [[nodiscard]] std::string no_room(const Candidate& candidate) const;
  [[nodiscard]] std::vector<predict::RankClass> classes_on(const Placement& placement,
                                                           const PatternForecast& forecast) const;
  [[nodiscard]] Seconds waited_for(const std::vector<predict::RankClass>& classes,
                                   const predict::ComputationForecast& computation,
                                   double core_slowdown) const;
  void set_coverage(PatternForecast& forecast, const Placement& placement) const;
  [[nodiscard]] bool is_as_slurm_lays_out(const Candidate& candidate) const;
  [[nodiscard]] bool needs_whole_interval(const PatternForecast& forecast) const;
  [[nodiscard]] bool is_reference(const PatternForecast& forecast) const;
  [[nodiscard]] std::string too_slow(const PatternForecast& forecast) const;
  [[nodiscard]] std::string too_uncertain(const PatternForecast& forecast) const;
  [[nodiscard]] std::string doubt_about(const PatternForecast& forecast) const;

  const Profile& profile_;
  const Machine& machine_;
  const commgraph::NodeTopology& node_;
  const predict::Reference& reference_;
  const RecommendationOptions& options_;
  /// Those that may be set, ascending; one that is absent if frequencies are left alone.
  std::vector<std::optional<Hertz>> frequencies_;
  MemoryNeed memory_;
  commgraph::CommGraph graph_;
  predict::CommunicationTable table_;
  predict::WaitingPace pace_;
  predict::CommunicationEstimate communication_;
  predict::ComputationPredictor predictor_;
  std::vector<double> loads_;  // by rank, see rank_loads()
  std::optional<predict::ModelQuality> model_quality_;
  predict::MeasuredDensities densities_;
  std::vector<FateShare> fates_;
  PatternForecast reference_forecast_;
};

}  // namespace huddle::recommend
