#pragma once

// The ranking of patterns for a program: the candidates, the chosen one, and why.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/predict/computation/model_quality.hpp"
#include "aggregator/predict/computation/predictor.hpp"
#include "aggregator/predict/energy/pattern_energy.hpp"
#include "aggregator/predict/pattern/pattern.hpp"
#include "aggregator/predict/pattern/rank_shape.hpp"
#include "aggregator/predict/pattern/reference.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::recommend {

/// Among the frequencies that the criteria allow, each pattern gets the one that serves the
/// objective best within the bound; where they allow none, no prediction names one.
struct RecommendationOptions : ChoiceCriteria {
  /// The most nodes that may be used; absent: as many as the machine has, or as the reference uses
  /// if that is unknown.
  std::optional<std::uint32_t> most_nodes = {};
  /// Leaves out patterns that can't be chosen any more once a better one is feasible: the choice is
  /// the same, the table shorter.
  bool only_until_chosen = false;
  /// The share that is added to the memory that ranks were measured to use; 0.1 is 10 %.
  double memory_margin = 0;
  /// Number of threads that may work, at least 1. It changes the time, never the result.
  unsigned threads = 1;
  /// The model that was learnt of computation; null: nothing. Not owned.
  const predict::ComputationModel* model = nullptr;
  /// The part of a node that a rank takes.
  predict::RankShape rank = {};
  /// True if patterns that nothing covers may not be chosen; and those that are between measured
  /// ones, or predicted by a model that errs by more than the bound on average, only if all of
  /// their interval is within it.
  bool covered_only = false;
  /// With Grouping::kRankOrder: how many consecutive ranks each stay on one node; empty: none has
  /// to stay with another one.
  std::vector<std::uint32_t> ranks_together = {};
};

/// Why a pattern is not chosen with RecommendationOptions::covered_only that nothing covers.
inline constexpr std::string_view kContentionUnknown = "contention unknown";

/// Tells if the pattern is refused for its time: that is beyond the bound, may be, or too little
/// is known of it.
bool is_refused_for_time(const PatternForecast& forecast);

/// Tells if the pattern is refused for nothing but ChoiceCriteria::least_nodes.
bool is_refused_for_least_nodes(const PatternForecast& forecast);

/// A pattern that was considered, and the mapping that it would get.
struct Candidate {
  predict::Pattern pattern;
  PatternForecast forecast;
  /// The core of each rank in hierarchy_of(pattern, forecast.nodes).
  std::vector<std::uint32_t> core_of;
};

struct Recommendation {
  predict::Reference reference;
  PatternForecast reference_forecast;
  /// The patterns that were examined, best first; those that are not feasible at the end.
  std::vector<Candidate> candidates;
  /// The way in which computation was predicted, and why to trust that less: one sentence each, for
  /// people.
  ComputationMethod computation = ComputationMethod::kSimple;
  std::vector<std::string> notes;

  /// Circumstances that the choice could not take into account: one sentence each, for people.
  std::vector<std::string> choice_notes = {};
  /// The part of a node that a rank takes.
  predict::RankShape rank = {};
  /// The errors of the model on programs left out of training; absent without a model.
  std::optional<predict::ModelQuality> model = {};
  /// The chosen pattern with ranks that traded places in their nodes, so that those with like loads
  /// have one clock; absent where each core has its own, where that would lower none, or where it
  /// is not feasible.
  std::optional<Candidate> by_load = {};
  /// LoadGrouping::saved of it.
  double by_load_saves = 0;

  /// The best feasible pattern; nothing if none is.
  [[nodiscard]] const Candidate* chosen() const;
};

/// Ranks the patterns of a node for a program (task aggregation, equation (5) and the paper's rule
/// of choice). `profiles`: complete profiles of one program with one number of ranks, the one whose
/// traffic counts first; the others are further samples of its computation. `progress` is
/// called with how many of how many patterns are done, by any thread but never by two at once.
/// Patterns are compared by quick mappings; the chosen one gets a thorough one. `node` is
/// slots_of_node() for ranks of several cores; so count Candidate::pattern and the reference's
/// pattern that is given, while all names in the result are those of name_on_cores(). Throws
/// UsageError if the profiles do not belong together, are cut short, or know no times, if the
/// objective needs power figures that the machine has not, or if frequencies are to be considered
/// and the machine has none in that range or no power figures for them (time as the objective needs
/// none).
Recommendation recommend(const std::vector<Profile>& profiles, const Machine& machine,
                         const commgraph::NodeTopology& node, const predict::Reference& reference,
                         const RecommendationOptions& options,
                         const std::function<void(std::size_t, std::size_t)>& progress = {});

}  // namespace huddle::recommend
