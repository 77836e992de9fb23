#pragma once

// Coverage of a prediction: whether runs of the program, or a model, show how the ranks of a
// pattern slow each other down.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/predict/pattern/placement.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/coverage.hpp"

namespace huddle::predict {

/// A density that ranks were measured at, and how they came to it; the firmest ground first.
struct MeasuredDensity {
  enum class By : std::uint8_t {
    kRun,         ///< all ranks of a run shared like that
    kMixedNodes,  ///< some ranks of a run did, on nodes that were filled in different ways
  };
  Sharing sharing;
  By by = By::kRun;

  friend auto operator<=>(const MeasuredDensity&, const MeasuredDensity&) = default;
};

/// The densities at which the ranks of one program were seen to share dies, packages and nodes.
/// Contention for what they share only grows with the number that share it. So a run shows
/// something about every placement that is at most as dense as its own ranks were, on all three
/// levels at once, and nothing about a denser one. Immutable.
class MeasuredDensities {
 public:
  /// `runs`: complete profiles of one program, on nodes of this topology. Each node of a run that
  /// fills them in different ways counts. Ranks that were free to run anywhere on a node count as
  /// spread widest. Throws UsageError if a run does not fit on a node.
  MeasuredDensities(const std::vector<const Profile*>& runs, const commgraph::NodeTopology& node);
  /// The densities themselves; may be none.
  explicit MeasuredDensities(std::vector<MeasuredDensity> measured);

  /// Returns the coverage of a placement: the weakest of any of its classes of ranks, of which
  /// there is one or more. `by_model`: a model with acceptable errors predicts what was not
  /// measured just so.
  [[nodiscard]] Coverage coverage_of(const std::vector<RankClass>& classes, bool by_model) const;
  [[nodiscard]] Coverage coverage_of(const Sharing& sharing, bool by_model) const;

  /// The same in words that complete "the prediction rests on": "a measured run", "mixed nodes of a
  /// measured run", "measured runs with denser ranks", "a model", "nothing".
  [[nodiscard]] std::string ground_of(const std::vector<RankClass>& classes, bool by_model) const;

 private:
  void add(const Profile& run, const commgraph::NodeTopology& node);
  [[nodiscard]] const MeasuredDensity* just_like(const Sharing& sharing) const;

  /// Ascending, so that the firmest ground of a density comes first.
  std::vector<MeasuredDensity> measured_;
};

}  // namespace huddle::predict
