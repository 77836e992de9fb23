#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/waitstates/wait_pattern.hpp"
#include "profiles/formats/machine.hpp"
#include "profiles/formats/profile.hpp"

namespace huddle {

/// How long the ranks of a run waited for each other, as far as times of calls without a trace can
/// tell: an estimate, never a measurement. docs/waitstates.md says how near it comes.
struct WaitingEstimate {
  struct OfRank {
    Rank rank;
    /// By WaitPattern. Late Sender and the collective patterns only; the others stay 0.
    std::array<Seconds, kWaitPatterns> waiting{};
  };
  /// As the profile's rank records.
  std::vector<OfRank> ranks;
  /// What it was made from and what it leaves out, a sentence each, for people.
  std::vector<std::string> based_on;
};

/// Estimates the waiting of a run from its profile alone: the time in calls beyond what the
/// transfer is expected to take.
/// - Collectives: of all ranks of the same operation, communicator and size class the shortest call
///   of all is taken for a transfer without waiting, or, where the profile has no shortest calls,
///   the smallest mean of a rank. With a machine, what its tables say, but no less than the former
///   and no more than the latter. The root of a broadcast or scatter doesn't wait; if it
///   is always late nobody ever has the data at once, so the transfer counts for no more than what
///   messages over the machine's links, or usual ones, take.
/// - Late senders: the time in receives and completions beyond what the received messages take, one
///   after the other, by the machine's tables; without a machine by links of the usual speed, or
///   quicker ones if a rank had its messages in less time.
/// Nothing if the profile has neither times of collectives nor of receives. `machine`: may be null;
/// counts only for complete profiles. Throws what measured_locations() throws.
std::optional<WaitingEstimate> estimate_waiting(const Profile& profile, const Machine* machine);

}  // namespace huddle
