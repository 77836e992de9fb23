#include "commgraph/graph/detail/collective_algorithms.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "profiles/vocabulary/error.hpp"

namespace huddle::commgraph {
namespace {

using Algorithm = CollectiveAlgorithm;
using Operation = CollectiveOperation;

__extension__ typedef unsigned __int128 Wide;

std::uint64_t narrowed(Wide value) {
  if (value > std::numeric_limits<std::uint64_t>::max())
    throw Error("the collectives of the profile move 2^64 messages or bytes, or more");
  return static_cast<std::uint64_t>(value);
}

// Rounds of doubling until all of `ranks` are reached.
unsigned rounds(std::uint32_t ranks) {
  return static_cast<unsigned>(std::bit_width(ranks - 1));
}

std::uint32_t lowest_bit(std::uint32_t number) {
  return number & (~number + 1);
}

class Expansion {
 public:
  Expansion(const CollectiveTask& task, const VisitExchange& visit) : task_(task), visit_(visit) {}

  void run();

 private:
  // `parts` / `of` of the task's bytes.
  void exchange(std::uint32_t a, std::uint32_t b, std::uint64_t messages, std::uint64_t parts,
                std::uint64_t of) const {
    if (a == b) return;
    visit_(a, b, narrowed(Wide{task_.calls} * messages), narrowed(Wide{task_.bytes} * parts / of));
  }

  [[nodiscard]] std::uint32_t from_root(std::uint32_t number) const {
    return static_cast<std::uint32_t>((std::uint64_t{number} + task_.root) % ranks_);
  }

  // Everyone to the next, `messages` each.
  void ring(std::uint64_t messages, std::uint64_t parts, std::uint64_t of) const {
    for (std::uint32_t i = 0; i < ranks_; ++i)
      exchange(i, i + 1 < ranks_ ? i + 1 : 0, messages, parts, of);
  }

  void chain() const {
    for (std::uint32_t i = 0; i + 1 < ranks_; ++i) exchange(i, i + 1, 1, 1, 1);
  }

  void star(std::uint64_t of) const {
    for (std::uint32_t i = 0; i < ranks_; ++i) exchange(task_.root, i, 1, 1, of);
  }

  void pairs() const {
    for (std::uint32_t a = 0; a < ranks_; ++a)
      for (std::uint32_t b = a + 1; b < ranks_; ++b) exchange(a, b, 2, 2, ranks_);
  }

  // The parent of a vertex is without its lowest bit; all above it up to there are its subtree.
  void tree() const {
    for (std::uint32_t v = 1; v < ranks_; ++v)
      exchange(from_root(v), from_root(v - lowest_bit(v)), 1, 1, 1);
  }
  void tree_of_blocks(std::uint64_t of) const {
    for (std::uint32_t v = 1; v < ranks_; ++v)
      exchange(from_root(v), from_root(v - lowest_bit(v)), 1, std::min(lowest_bit(v), ranks_ - v),
               of);
  }

  // Round k: everyone to the rank 2^k further, `parts(k)` / `of` of the bytes.
  template <class Parts>
  void to_powers(std::uint64_t of, const Parts& parts) const {
    for (unsigned k = 0; k < rounds(ranks_); ++k)
      for (std::uint32_t i = 0; i < ranks_; ++i)
        exchange(i, static_cast<std::uint32_t>((i + (std::uint64_t{1} << k)) % ranks_), 1, parts(k),
                 of);
  }

  // Where p is no power of two, the first ranks take part in pairs: even ones hand their data to
  // their odd neighbours before the rounds, and may get results back behind them.
  void fold(std::uint64_t messages, std::uint64_t parts, std::uint64_t of) const {
    for (std::uint32_t i = 0; i < extra_; ++i) exchange(2 * i, 2 * i + 1, messages, parts, of);
  }
  // The rank of participant j. The root of a reduce always takes part.
  [[nodiscard]] std::uint32_t participant(std::uint32_t j) const {
    if (j >= extra_) return j + extra_;
    const bool even = task_.algorithm == Algorithm::kRabenseifnerReduce && task_.root == 2 * j;
    return even ? 2 * j : 2 * j + 1;
  }
  [[nodiscard]] std::uint32_t participant_of_root() const {
    return task_.root < 2 * extra_ ? task_.root / 2 : task_.root - extra_;
  }

  // Round k: both of each pair of participants that differ in bit k send `parts(k)` / `of`.
  template <class Parts>
  void rounds_of_pairs(std::uint64_t messages, std::uint64_t of, const Parts& parts) const {
    for (std::uint32_t bit = 1; bit < power_; bit *= 2)
      for (std::uint32_t j = 0; j < power_; ++j)
        if ((j & bit) == 0)
          exchange(participant(j), participant(j | bit), messages, messages * parts(bit), of);
  }

  // Behind a scatter, whose pieces are numbered from the root on. No rank is extra.
  void doubling_of_pieces() const {
    for (std::uint32_t bit = 1; bit < ranks_; bit *= 2)
      for (std::uint32_t v = 0; v < ranks_; ++v)
        if ((v & bit) == 0)
          exchange(from_root(v), from_root(v | bit), 2, 2 * std::uint64_t{bit}, ranks_);
  }

  void reduce_by_rabenseifner() const {
    fold(1, 1, 1);
    rounds_of_pairs(2, power_, [&](std::uint32_t bit) { return power_ / 2 / bit; });
    // Backwards: the participant with the highest bit hands on to the one without it.
    const std::uint32_t root = participant_of_root();
    for (std::uint32_t v = 1; v < power_; ++v)
      exchange(participant(v ^ root), participant((v - std::bit_floor(v)) ^ root), 1,
               power_ / 2 / std::bit_floor(v), power_);
  }

  const CollectiveTask& task_;
  const VisitExchange& visit_;
  const std::uint32_t ranks_ = task_.ranks;
  const std::uint32_t power_ = std::bit_floor(ranks_);
  const std::uint32_t extra_ = ranks_ - power_;
};

// Returns how many of the numbers 1 to `ranks` - 1 have bit k.
std::uint64_t numbers_with_bit(unsigned k, std::uint32_t ranks) {
  const std::uint64_t period = std::uint64_t{2} << k;
  const std::uint64_t half = std::uint64_t{1} << k;
  const std::uint64_t rest = ranks % period;
  return ranks / period * half + (rest > half ? rest - half : 0);
}

void Expansion::run() {
  const std::uint64_t p = ranks_;
  switch (task_.algorithm) {
    case Algorithm::kDissemination:
      return to_powers(1, [](unsigned) { return std::uint64_t{0}; });
    case Algorithm::kBinomialTree:
      return tree();
    case Algorithm::kBinomialGather:
      return tree_of_blocks(1);
    case Algorithm::kBinomialScatter:
      return tree_of_blocks(p);
    case Algorithm::kStarGather:
      return star(1);
    case Algorithm::kStarScatter:
      return star(p);
    case Algorithm::kScatterThenRing:
      tree_of_blocks(p);
      return ring(p - 1, p - 1, p);
    case Algorithm::kScatterThenDoubling:
      tree_of_blocks(p);
      return doubling_of_pieces();
    case Algorithm::kRecursiveDoubling:
      fold(2, 2, 1);
      return rounds_of_pairs(2, 1, [](std::uint32_t) { return 1U; });
    case Algorithm::kRabenseifner:
      fold(2, 2, 1);
      return rounds_of_pairs(4, power_, [&](std::uint32_t bit) { return power_ / 2 / bit; });
    case Algorithm::kRabenseifnerReduce:
      return reduce_by_rabenseifner();
    case Algorithm::kRingAllreduce:
      return ring(2 * (p - 1), 2 * (p - 1), p);
    case Algorithm::kRecursiveHalving:
      fold(2, p + 1, p);
      return rounds_of_pairs(2, power_, [](std::uint32_t bit) { return bit; });
    case Algorithm::kRingReduceScatter:
      return ring(p - 1, p - 1, p);
    case Algorithm::kAllgatherDoubling:
      return rounds_of_pairs(2, 1, [](std::uint32_t bit) { return bit; });
    case Algorithm::kBruckAllgather:
      return to_powers(1, [&](unsigned k) {
        return std::min<std::uint64_t>(std::uint64_t{1} << k, p - (std::uint64_t{1} << k));
      });
    case Algorithm::kRingAllgather:
      return ring(p - 1, p - 1, 1);
    case Algorithm::kBruckAlltoall:
      return to_powers(p, [&](unsigned k) { return numbers_with_bit(k, ranks_); });
    case Algorithm::kCompleteExchange:
      return pairs();
    case Algorithm::kChain:
      return chain();
  }
}

constexpr std::pair<std::string_view, Operation> kNames[] = {
    {"barrier", Operation::kBarrier},
    {"bcast", Operation::kBroadcast},
    {"reduce", Operation::kReduce},
    {"allreduce", Operation::kAllreduce},
    {"reduce_scatter", Operation::kReduceScatter},
    {"reduce_scatter_block", Operation::kReduceScatter},
    {"gather", Operation::kGather},
    {"gatherv", Operation::kGatherv},
    {"scatter", Operation::kScatter},
    {"scatterv", Operation::kScatterv},
    {"allgather", Operation::kAllgather},
    {"allgatherv", Operation::kAllgatherv},
    {"alltoall", Operation::kAlltoall},
    {"alltoallv", Operation::kAlltoallv},
    {"alltoallw", Operation::kAlltoallv},
    {"scan", Operation::kScan},
    {"exscan", Operation::kScan},
};

Algorithm algorithm_for_broadcast(std::uint32_t ranks, std::uint64_t bytes) {
  if (bytes < kLongBroadcast || ranks < kRanksForLongBroadcast) return Algorithm::kBinomialTree;
  return bytes < kVeryLongBroadcast && std::has_single_bit(ranks) ? Algorithm::kScatterThenDoubling
                                                                  : Algorithm::kScatterThenRing;
}

Algorithm algorithm_for_allreduce(std::uint32_t ranks, std::uint64_t bytes) {
  if (bytes < kLongAllreduce) return Algorithm::kRecursiveDoubling;
  return bytes < kVeryLongAllreduce && std::has_single_bit(ranks) ? Algorithm::kRabenseifner
                                                                  : Algorithm::kRingAllreduce;
}

Algorithm algorithm_for_allgather(std::uint32_t ranks, std::uint64_t bytes) {
  const auto all_bytes = Wide{bytes} * ranks;
  if (all_bytes < kLongAllgather && std::has_single_bit(ranks))
    return Algorithm::kAllgatherDoubling;
  return all_bytes < kMediumAllgather ? Algorithm::kBruckAllgather : Algorithm::kRingAllgather;
}

}  // namespace

std::optional<CollectiveOperation> collective_named(std::string_view name) {
  for (const auto& [known, operation] : kNames) {
    if (name == known) return operation;
    if (name.starts_with('i') && name.substr(1) == known) return operation;
  }
  return std::nullopt;
}

CollectiveAlgorithm algorithm_for(CollectiveOperation operation, std::uint32_t ranks,
                                  std::uint64_t contribution) {
  switch (operation) {
    case Operation::kBarrier:
      return Algorithm::kDissemination;
    case Operation::kBroadcast:
      return algorithm_for_broadcast(ranks, contribution);
    case Operation::kReduce:
      return contribution <= kLongReduce ? Algorithm::kBinomialTree
                                         : Algorithm::kRabenseifnerReduce;
    case Operation::kAllreduce:
      return algorithm_for_allreduce(ranks, contribution);
    case Operation::kReduceScatter:
      return contribution < kLongReduceScatter ? Algorithm::kRecursiveHalving
                                               : Algorithm::kRingReduceScatter;
    case Operation::kGather:
      return contribution < kLongGatherBlock ? Algorithm::kBinomialGather : Algorithm::kStarGather;
    case Operation::kGatherv:
      return Algorithm::kStarGather;
    case Operation::kScatter:
      return contribution / ranks < kLongScatterBlock ? Algorithm::kBinomialScatter
                                                      : Algorithm::kStarScatter;
    case Operation::kScatterv:
      return Algorithm::kStarScatter;
    case Operation::kAllgather:
    case Operation::kAllgatherv:
      return algorithm_for_allgather(ranks, contribution);
    case Operation::kAlltoall:
      return contribution / ranks < kLongAlltoallBlock && ranks > kMostRanksForLinearAlltoall
                 ? Algorithm::kBruckAlltoall
                 : Algorithm::kCompleteExchange;
    case Operation::kAlltoallv:
      return Algorithm::kCompleteExchange;
    case Operation::kScan:
      return Algorithm::kChain;
  }
  return Algorithm::kDissemination;
}

std::uint64_t most_edges_of(const CollectiveTask& task) {
  const std::uint64_t p = task.ranks;
  switch (task.algorithm) {
    case Algorithm::kDissemination:
    case Algorithm::kBruckAllgather:
    case Algorithm::kBruckAlltoall:
      return p * rounds(task.ranks);
    case Algorithm::kBinomialTree:
    case Algorithm::kBinomialGather:
    case Algorithm::kBinomialScatter:
    case Algorithm::kStarGather:
    case Algorithm::kStarScatter:
    case Algorithm::kRingAllreduce:
    case Algorithm::kRingReduceScatter:
    case Algorithm::kRingAllgather:
    case Algorithm::kChain:
      return p;
    case Algorithm::kScatterThenRing:
      return 2 * p;
    case Algorithm::kRecursiveDoubling:
    case Algorithm::kRabenseifner:
    case Algorithm::kRecursiveHalving:
    case Algorithm::kAllgatherDoubling:
      return p + p / 2 * rounds(task.ranks);
    case Algorithm::kScatterThenDoubling:
    case Algorithm::kRabenseifnerReduce:
      return 2 * p + p / 2 * rounds(task.ranks);
    case Algorithm::kCompleteExchange:
      return p * (p - 1) / 2;
  }
  return 0;
}

void expand(const CollectiveTask& task, const VisitExchange& visit) {
  Expansion(task, visit).run();
}

}  // namespace huddle::commgraph
