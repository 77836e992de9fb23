#pragma once

// Times of collective operations by pattern, number of ranks and size.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aggregator/predict/communication/message_table.hpp"
#include "aggregator/predict/communication/rank_spread.hpp"
#include "aggregator/predict/communication/time_curve.hpp"
#include "profiles/formats/machine/machine.hpp"

namespace huddle::predict {

/// True if every rank has something for every other one in an operation.
bool exchanges_with_everyone(std::string_view operation);

/// Times of collectives by operation, pattern, number of ranks and size (task aggregation, section
/// V), also for operations on communicators smaller than the world. Immutable.
class CollectiveTable {
 public:
  /// Keeps nothing of the arguments. `messages`: its links say how times shrink below the smallest
  /// size in the table.
  CollectiveTable(const Machine& machine, const MessageTable& messages);

  [[nodiscard]] bool empty() const { return operations_.empty(); }

  /// The time of one call among `participants` (>= 2) ranks that lie like `spread`, by what a rank
  /// contributes. Nothing if the table holds nothing like it.
  /// - "iallreduce" counts as "allreduce", and "alltoallv" and "alltoallw" as "alltoall", if the
  ///   table has only those.
  /// - What crosses nodes is looked up among what does, and the rest among the rest. Of these, the
  ///   entries that count are those of the patterns with the next smaller and the next larger
  ///   number of ranks a node, and of these the one with the most alike numbers of packages, dies
  ///   and cores. Between them the logarithm of the time goes straight over that of the number.
  /// - Where nodes hold different numbers of ranks, an all-to-all is as slow as on equally filled
  ///   nodes across whose borders as much goes as across the busiest one's.
  /// - Between two numbers of ranks the logarithm of the time goes straight over that of the
  ///   number. Beyond them it grows like log2 of the ranks; that of an all-to-all like the ranks
  ///   less 1. Between all-to-alls among different numbers of ranks, what is alike is what a rank
  ///   has for each other one.
  [[nodiscard]] std::optional<TimeCurve> curve(std::string_view operation, const RankSpread& spread,
                                               std::uint32_t participants) const;

 private:
  struct Row {
    std::uint32_t ranks = 2;
    TimeCurve curve;
  };
  /// Entries of one pattern that cross nodes, or that do not.
  struct Family {
    Pattern pattern;
    bool crosses_nodes = false;
    LinkTime link;
    /// Ascending by ranks.
    std::vector<Row> rows;
  };

  [[nodiscard]] const std::vector<Family>* families_of(std::string_view operation) const;
  /// The families with the next smaller and the next larger number of ranks a node; the same one
  /// twice at that number, or beyond the smallest or the largest. Null if none is alike.
  [[nodiscard]] static std::pair<const Family*, const Family*> around(
      const std::vector<Family>& families, const RankSpread& spread, double ranks_per_node);
  [[nodiscard]] static TimeCurve among(const Family& family, std::uint32_t participants,
                                       bool with_everyone);

  std::map<std::string, std::vector<Family>, std::less<>> operations_;
};

}  // namespace huddle::predict
