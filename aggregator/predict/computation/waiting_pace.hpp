#pragma once

#include <optional>
#include <vector>

#include "aggregator/predict/computation/predictor.hpp"
#include "aggregator/predict/pattern/placement.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::predict {

/// The part of the computation that ranks wait for.
///
/// Ranks wait for what others compute until they send. In most programs that is a part of all
/// computation, and grows as the whole does. In a pipeline (a wavefront, as in NPB LU) ranks wait
/// in receives for what is computed between two messages, and when ranks share caches and memory,
/// that part may grow by far less, or more, than the rest of the program. Profiles say how long
/// ranks compute before their sends (CallKind::before); how that grows is predicted from the same
/// runs, and by the same model of contention, as all computation is, by times alone. Immutable; may
/// be used by several threads.
class WaitingPace {
 public:
  /// `runs`: at least one, of one program at one number of ranks. `model` may be null. Runs without
  /// those times, without receives that wait, or on one pattern only, say nothing: then waiting
  /// grows as all computation does.
  WaitingPace(const std::vector<const Profile*>& runs, const commgraph::NodeTopology& node,
              const ComputationModel* model, const PredictorOptions& options);

  /// The computation that ranks would wait for as long if it were a part of all of it: on the
  /// placement of the first run, all computation. Mean over the ranks.
  [[nodiscard]] Seconds of(const Profile& run) const;
  /// The same on a placement. `computation`: all of it there, mean over the ranks. `stretch`: how
  /// many times longer it takes at another frequency.
  [[nodiscard]] Seconds on(const std::vector<RankClass>& classes, Seconds computation,
                           double stretch = 1) const;
  /// The part of the waiting that is for what is computed before sends, 0 to 1.
  [[nodiscard]] double share() const { return before_sends_ ? share_ : 0; }

 private:
  [[nodiscard]] Seconds mixed(Seconds computation, Seconds part) const;

  /// Predicts what is computed before sends; absent if runs say nothing.
  std::optional<ComputationPredictor> before_sends_;
  double share_ = 0;
  Seconds computation_;  // of the first run, mean over the ranks
  Seconds part_;         // of it, before sends
};

}  // namespace huddle::predict
