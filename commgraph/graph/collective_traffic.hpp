#pragma once

// The messages that collective operations are made of, as edges of a graph.

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::commgraph {

/// The most edges that collectives are expanded into, before edges of the same pair are added up:
/// 4 million take 96 MiB, and a partitioner some seconds. It holds recursive doubling among 2^17
/// ranks, and the all-to-alls in the rows and columns of a grid of 128 x 128 ranks.
inline constexpr std::uint64_t kMostCollectiveEdges = std::uint64_t{1} << 22U;

/// Why calls of a collective are not in the traffic.
enum class NotExpanded : std::uint8_t {
  /// An exchange of everyone with everyone among all ranks: it adds the same to every pair, and so
  /// costs the same whatever the grouping.
  kSameForAll,
  /// The profile does not hold who takes part.
  kMembersUnknown,
  /// Between the two groups of an intercommunicator.
  kIntercommunicator,
  /// Not an operation that is known here.
  kOperationUnknown,
  /// Would have made more than the most edges.
  kTooManyEdges,
};
inline constexpr std::size_t kReasonsNotExpanded = 5;

/// Collectives that are not in the traffic.
struct CollectivesLeftOut {
  /// Number of calls, each counted once for every rank that took part in it.
  std::uint64_t calls = 0;
  /// Bytes that all ranks contributed to them.
  Bytes bytes;
  /// As the profile names them.
  std::set<std::string> operations;
};

/// A profile's collectives as messages between pairs of ranks.
struct CollectiveTraffic {
  /// Both ways together; a pair may be there more than once.
  std::vector<PairTraffic> pairs;
  /// Collectives that were left out, by NotExpanded; without operations if there were no such
  /// calls.
  std::array<CollectivesLeftOut, kReasonsNotExpanded> left_out;

  [[nodiscard]] const CollectivesLeftOut& left_out_because(NotExpanded reason) const {
    return left_out[static_cast<std::size_t>(reason)];
  }
};

/// Estimates which messages the MPI library made of a profile's collectives, by the algorithm that
/// libraries take for the operation, the number of ranks and the size (collective_algorithms.hpp,
/// with sources). What the profile does not say is assumed:
/// - ranks stand in a communicator in the order of MPI_COMM_WORLD;
/// - the root of a broadcast or scatter is the rank that contributed; that of a gather or reduce,
///   which nobody wrote down, the lowest rank. Broadcasts and scatters of nothing are ignored;
/// - contributions that differ between ranks or receivers (allgatherv, alltoallv) are taken for
///   equal: each is the mean.
/// Libraries that first gather inside each node make other messages; the estimate then stands for
/// the tree or ring that a flat network sees.
///
/// Neighbourhood collectives are not here: for_each_counted() has what they carried. Calls among
/// fewer than two ranks move nothing.
///
/// Exchanges of everyone with everyone take p (p - 1) / 2 edges. Among all ranks of the profile
/// they are left out without loss (NotExpanded::kSameForAll): all sums of weight x distance that a
/// mapping can reach grow by the same amount, since the cores in use are given. Among fewer ranks
/// they are expanded. No more than `most_edges` edges are made: what takes fewest edges comes
/// first, and what is alike, such as the all-to-alls of all rows and columns of a grid, is taken
/// together or not at all, so that no part of the ranks is preferred.
///
/// Throws Error if a number of messages or bytes is 2^64 or more. Deterministic; safe from any
/// thread.
CollectiveTraffic collective_traffic(const Profile& profile,
                                     std::uint64_t most_edges = kMostCollectiveEdges);

}  // namespace huddle::commgraph
