#pragma once

// The time of a program's communication on a placement of its ranks, by the machine's tables of
// messages and collectives.

#include <vector>

#include "aggregator/predict/communication/collective_table.hpp"
#include "aggregator/predict/communication/message_table.hpp"
#include "aggregator/predict/pattern/placement.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::predict {

/// The machine's times of messages and collectives, prepared so that many placements can be looked
/// up. Keeps nothing of the machine document. Immutable: safe from any thread.
struct CommunicationTable {
  explicit CommunicationTable(const Machine& machine)
      : messages(machine), collectives(machine, messages) {}

  MessageTable messages;
  CollectiveTable collectives;
};

/// An upper bound of the time that a program's communication takes on a placement (task
/// aggregation, section V):
/// - Every message meets all others of its node at the same distance: as many pairs interfere as
///   ranks of the node communicate at that distance (over the network, those of the busier of both
///   nodes; else half of them, since both ends are on the node). Its time is that of the machine's
///   table of messages; where there are none at that distance, latency + bytes / bandwidth of the
///   distance. Messages of a size class count as of their mean size.
/// - A rank's messages do not overlap, and a rank is as slow as the larger of what it sends and
///   what it receives.
/// - What leaves or enters a node shares the node's one link.
/// - A collective takes the time in the machine's table of collectives for the operation, the
///   pattern of the ranks and the size. For a communicator smaller than the world both the pattern
///   of its members and that of all ranks on their nodes are looked up, since other communicators
///   are likely to be busy at the same time; the larger time counts. Without an entry: log2 of the
///   participants times latency + bytes / bandwidth at the widest distance in the job (an
///   all-to-all: its bytes once, its latency for every partner).
/// - The slowest rank counts.
/// It knows nothing of overlap with computation nor of waiting: an estimate for comparing
/// placements, not a promise. `locations` has one entry for each rank of the complete profile.
Seconds communication_time(const Profile& profile, const CommunicationTable& table,
                           const std::vector<Location>& locations);

/// The time that each entry of each rank record's collectives takes, all its calls together, in the
/// record's order; as communication_time() counts it. 0 where nobody else takes part.
std::vector<std::vector<Seconds>> collective_times(const Profile& profile,
                                                   const CommunicationTable& table,
                                                   const std::vector<Location>& locations);

}  // namespace huddle::predict
