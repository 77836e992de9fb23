#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace huddle::commgraph {

/// Collective operations whose messages follow from what a profile holds; those that do not
/// block are the same, and those with counts for each rank (gatherv) too unless they are named.
enum class CollectiveOperation : std::uint8_t {
  kBarrier,
  kBroadcast,
  kReduce,
  kAllreduce,
  kReduceScatter,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAllgather,
  kAllgatherv,
  kAlltoall,
  kAlltoallv,
  kScan,
};

/// The operation of the name that profiles use, such as "allreduce" or "iallreduce"; nothing for
/// others.
std::optional<CollectiveOperation> collective_named(std::string_view name);

/// The algorithm by which an operation's messages travel among p ranks. Unless said otherwise m is
/// what one rank contributes to one call (see docs/formats/profile.md).
enum class CollectiveAlgorithm : std::uint8_t {
  /// Round k: rank i to rank i + 2^k (mod p), empty.
  kDissemination,
  /// m along each edge of the binomial tree of the root, down or up.
  kBinomialTree,
  /// The same tree; an edge carries the blocks of all the ranks behind it. Gather: a block is m.
  kBinomialGather,
  /// Scatter: a block is m / p of the root's m.
  kBinomialScatter,
  /// Between the root and each rank: m.
  kStarGather,
  /// m / p of the root's m.
  kStarScatter,
  /// Broadcast: kBinomialScatter, then the pieces go round a ring.
  kScatterThenRing,
  /// Broadcast: kBinomialScatter, then recursive doubling. p is a power of two.
  kScatterThenDoubling,
  /// Allreduce: round k exchanges m with the rank whose number differs in bit k.
  kRecursiveDoubling,
  /// Allreduce: round k of the reduce-scatter exchanges m / 2^(k+1), and the allgather the same.
  kRabenseifner,
  /// Reduce: the same reduce-scatter, then the pieces are gathered along a tree.
  kRabenseifnerReduce,
  /// Allreduce: reduce-scatter and allgather round a ring, in 2 (p - 1) steps of m / p.
  kRingAllreduce,
  /// Reduce-scatter: the rank whose number differs in bit k gets m 2^k / p; m is the whole vector.
  kRecursiveHalving,
  /// Reduce-scatter round a ring, in p - 1 steps of m / p.
  kRingReduceScatter,
  /// Allgather: round k exchanges 2^k m with the rank whose number differs in bit k. p is a power
  /// of two.
  kAllgatherDoubling,
  /// Allgather: round k, rank i sends up to 2^k blocks of m to rank i - 2^k (mod p).
  kBruckAllgather,
  /// Allgather round a ring, in p - 1 steps of m.
  kRingAllgather,
  /// All-to-all: round k, rank i sends the blocks whose number has bit k, m / p each, to rank
  /// i + 2^k (mod p).
  kBruckAlltoall,
  /// Each pair exchanges its blocks of m / p, both ways.
  kCompleteExchange,
  /// Scan: rank i sends m to rank i + 1.
  kChain,
};

/// Where algorithms change, in bytes of one call, and from how many ranks on. Coarse: libraries
/// tune these for each machine, and differ. From R. Thakur, R. Rabenseifner and W. Gropp,
/// "Optimization of Collective Communication Operations in MPICH", Int. J. High Performance
/// Computing Applications 19(1), 2005 (TRG below), and from the fixed decisions of Open MPI's
/// component coll/tuned, coll_tuned_decision_fixed.c (OMPI below).
///
/// Broadcasts shorter than this, or among fewer ranks, take a binomial tree (TRG).
inline constexpr std::uint64_t kLongBroadcast = 12 * 1024;
inline constexpr std::uint32_t kRanksForLongBroadcast = 8;
/// Longer ones end with recursive doubling up to this, where p is a power of two, else with a ring
/// (TRG).
inline constexpr std::uint64_t kVeryLongBroadcast = 512 * 1024;
/// Reductions to a root up to this take a binomial tree, else Rabenseifner's algorithm (TRG).
inline constexpr std::uint64_t kLongReduce = 2 * 1024;
/// Allreduces shorter than this take recursive doubling (OMPI).
inline constexpr std::uint64_t kLongAllreduce = 10'000;
/// Longer ones Rabenseifner's algorithm up to this, where p is a power of two, else a ring (TRG say
/// that a ring is better where messages are very long or p is no power of two; the number is
/// Huddle's choice).
inline constexpr std::uint64_t kVeryLongAllreduce = 1024 * 1024;
/// Reduce-scatters shorter than this take recursive halving (TRG), else a ring (OMPI).
inline constexpr std::uint64_t kLongReduceScatter = 512 * 1024;
/// Allgathers whose data of all ranks together is shorter than this take recursive doubling if p is
/// a power of two, those shorter than the second Bruck's algorithm, all others a ring (TRG).
inline constexpr std::uint64_t kLongAllgather = 512 * 1024;
inline constexpr std::uint64_t kMediumAllgather = 80 * 1024;
/// Gathers and scatters of blocks shorter than this take a binomial tree, else every rank has to do
/// with the root itself (OMPI). Those with counts for each rank always do (OMPI, TRG).
inline constexpr std::uint64_t kLongGatherBlock = 6'000;
inline constexpr std::uint64_t kLongScatterBlock = 300;
/// All-to-alls of blocks shorter than this, among more ranks than this, take Bruck's algorithm,
/// else each pair exchanges (OMPI).
inline constexpr std::uint64_t kLongAlltoallBlock = 200;
inline constexpr std::uint32_t kMostRanksForLinearAlltoall = 12;

/// Returns the algorithm by which `operation` travels among `ranks` >= 2 ranks. `contribution` in
/// bytes is what a rank, or the root of a broadcast or scatter, contributes to one call, in the
/// mean.
CollectiveAlgorithm algorithm_for(CollectiveOperation operation, std::uint32_t ranks,
                                  std::uint64_t contribution);

/// Some calls of one operation on one communicator.
struct CollectiveTask {
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::kDissemination;
  /// In the communicator; at least 2.
  std::uint32_t ranks = 0;
  /// Number in the communicator; of no account where there is no root.
  std::uint32_t root = 0;
  std::uint64_t calls = 0;
  /// The contributions of one rank (or of the root, see CollectiveAlgorithm), summed over the
  /// calls.
  std::uint64_t bytes = 0;
};

/// Returns the most times that expand() calls back.
std::uint64_t most_edges_of(const CollectiveTask& task);

/// Two ranks by their numbers in the communicator, and what they send to each other.
using VisitExchange = std::function<void(std::uint32_t a, std::uint32_t b, std::uint64_t messages,
                                         std::uint64_t bytes)>;

/// Calls back with the messages between pairs of ranks, different ones; a pair may come up more
/// than once. Bytes are rounded down for each. Throws Error if a number is 2^64 or more. Safe from
/// any thread.
void expand(const CollectiveTask& task, const VisitExchange& visit);

}  // namespace huddle::commgraph
