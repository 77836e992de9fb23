#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/waitstates/replay/wait_report.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// How long the ranks of a run waited for each other, as far as times of calls, without a trace,
/// can show: an estimate, never a measurement. For its errors see docs/waitstates.md.
struct WaitingEstimate {
  struct OfRank {
    Rank rank;
    /// By WaitPattern. Late Sender and the collective patterns only; the others stay 0.
    std::array<Seconds, kWaitPatterns> waiting{};
    /// The same if all transfers took as long, or as short, as any can have. The truth may lie
    /// outside, where few calls bound a transfer.
    std::array<Seconds, kWaitPatterns> least{};
    std::array<Seconds, kWaitPatterns> most{};
  };
  /// As the profile's rank records.
  std::vector<OfRank> ranks;
  /// What it was made from and what it leaves out, a sentence each, for people.
  std::vector<std::string> based_on;
};

/// Estimates the waiting of a run from its profile alone: the time in calls beyond what the
/// transfer takes, which has two bounds. With a machine, its tables say where
/// in between; without one, the middle counts.
/// - Collectives, by operation, communicator and size class: at least the shortest call of all
///   ranks (whoever comes last waits for nobody, and nothing interrupts the shortest),
///   at most the smallest mean of a rank (which may have waited, too). Where the profile has no
///   shortest calls, the latter counts. The root of a broadcast or scatter doesn't wait; if it is
///   always late nobody ever has the data at once, so that the transfer may be as short as messages
///   over the machine's links, or usual ones.
/// - Late senders, in receives and completions: at least what the received messages take one after
///   the other over the machine's links, or usual ones, and at most as many times that as the rank
///   took that needed the fewest.
/// Nothing if the profile has neither times of collectives nor of receives. `machine`: may be null;
/// counts only for complete profiles. Throws what measured_locations() throws.
std::optional<WaitingEstimate> estimate_waiting(const Profile& profile, const Machine* machine);

}  // namespace huddle
