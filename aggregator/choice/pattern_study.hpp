#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/choice/recommendation.hpp"
#include "aggregator/choice/reference.hpp"
#include "aggregator/communication/communication_estimate.hpp"
#include "aggregator/communication/communication_time.hpp"
#include "aggregator/computation/predictor.hpp"
#include "commgraph/graph/comm_graph.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine.hpp"
#include "profiles/formats/profile.hpp"

namespace huddle {

/// Predicts one pattern after the other for one program, machine and reference: what recommend()
/// looks at again for each pattern is made once. Everything that it is given must outlive it.
/// examine() may be called by several threads.
class PatternStudy {
 public:
  /// `profiles` as for recommend(), checked already. Throws what ComputationPredictor does.
  PatternStudy(const std::vector<Profile>& profiles, const Machine& machine,
               const NodeTopology& node, const Reference& reference,
               const RecommendationOptions& options);

  [[nodiscard]] const PatternForecast& reference_forecast() const { return reference_forecast_; }
  [[nodiscard]] const ComputationPredictor& predictor() const { return predictor_; }

  /// The pattern with a quick mapping, or with a thorough one.
  [[nodiscard]] Candidate examine(const Pattern& pattern, bool quick) const;

 private:
  [[nodiscard]] std::vector<std::uint32_t> mapping_on(const Pattern& pattern, std::uint32_t nodes,
                                                      bool quick) const;
  void predict(PatternForecast& forecast, const std::vector<Location>& locations) const;
  [[nodiscard]] std::uint32_t most_nodes() const;
  [[nodiscard]] Bytes memory_needed(const Candidate& candidate) const;
  [[nodiscard]] std::string why_not(const Candidate& candidate) const;
  [[nodiscard]] std::string doubt_about(const PatternForecast& forecast) const;

  const Profile& profile_;
  const Machine& machine_;
  const NodeTopology& node_;
  const Reference& reference_;
  const RecommendationOptions& options_;
  CommGraph graph_;
  CommunicationTable table_;
  CommunicationEstimate communication_;
  ComputationPredictor predictor_;
  PatternForecast reference_forecast_;
};

}  // namespace huddle
