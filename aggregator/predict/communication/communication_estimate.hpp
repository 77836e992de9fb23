#pragma once

#include <vector>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle::predict {

/// The communication of one measured run. Means over the ranks.
struct CommunicationSample {
  /// The bound that communication_time() computes for the placement that it ran on.
  Seconds bound;
  /// Time outside MPI, as far as others wait for it (see WaitingPace); 0 if unknown.
  Seconds computation;
  /// All the rest of the run time.
  Seconds in_mpi;
};

/// Predicts the time that ranks spend in MPI on a placement, from the bound of
/// communication_time().
///
/// The bound takes no account of messages that overlap with one another and with computation, nor
/// of waiting for ranks that come late. Samples show both: the time in MPI of a run is
///
///     waiting x computation + share x bound
///
/// where `waiting` (>= 0) stands for imbalance and for pipelines that fill, both of which grow with
/// what the ranks compute, and `share` (0 to 1) for the part of the bound that is not overlapped.
/// One sample does not separate the two: time beyond the bound counts as waiting, time short of it
/// as overlap. With several samples the first is met exactly, so that patterns are compared with
/// the reference as it was measured, and the share is what the others fit best with. Immutable.
class CommunicationEstimate {
 public:
  /// Without samples the bound itself is the estimate.
  explicit CommunicationEstimate(const std::vector<CommunicationSample>& samples);

  /// `computation`: what the ranks will compute on that placement, as far as others wait for it.
  [[nodiscard]] Seconds on(Seconds bound, Seconds computation) const {
    return waiting_ * (relative_ ? computation : Seconds{1}) + share_ * bound;
  }
  /// Standard error of on(), as a share of it: what the samples beyond the first are missed by, and
  /// at least what tables and mappings differ by in the best case.
  [[nodiscard]] double relative_error() const { return relative_error_; }
  [[nodiscard]] double share() const { return share_; }
  /// Waiting as a share of the computation; in seconds if a sample has none.
  [[nodiscard]] double waiting() const { return waiting_; }

 private:
  double waiting_ = 0;
  bool relative_ = true;
  double share_ = 1;
  double relative_error_ = kFromOneSample;

  /// Assumed where nothing shows it, and the least.
  static constexpr double kFromOneSample = 0.1;
  static constexpr double kLeast = 0.05;
};

}  // namespace huddle::predict
