#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::render {

/// 1536 is "1.5 KiB".
std::string human_bytes(std::uint64_t bytes);

/// 1500000 is "1.5 M"; exact below 10,000.
std::string human_count(std::uint64_t count);

/// One or the other.
inline std::string amount(std::uint64_t value, commgraph::Weight weight) {
  return weight == commgraph::Weight::kBytes ? human_bytes(value) : human_count(value);
}

/// One of a profile's rank x rank matrices; kAll is their sum.
enum class PairMatrix : std::uint8_t { kPointToPoint, kOneSided, kNeighbours, kAll };

struct PairMatrixName {
  std::string_view option;
  /// Fits behind "bytes ".
  std::string_view words;
  PairMatrix traffic;
};
inline constexpr std::array<PairMatrixName, 4> kPairMatrixNames = {{
    {"point-to-point", "sent point to point", PairMatrix::kPointToPoint},
    {"one-sided", "moved by one-sided calls", PairMatrix::kOneSided},
    {"neighbours", "sent by neighbourhood collectives", PairMatrix::kNeighbours},
    {"all", "sent in any way but collectives of all", PairMatrix::kAll},
}};

std::string_view words_for(PairMatrix traffic);

/// The data that moved from one rank to another.
struct Transfer {
  Rank from;
  Rank to;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  [[nodiscard]] std::uint64_t measured_in(commgraph::Weight weight) const {
    return weight == commgraph::Weight::kBytes ? bytes : messages;
  }
};

/// The data that `record`'s rank sent or wrote to others in `traffic`, visited as Transfers: one
/// for each receiver and size class.
template <class Visit>
void for_each_sent(const RankRecord& record, PairMatrix traffic, Visit&& visit) {
  const auto visit_all = [&](const std::vector<SentMessages>& cells) {
    for (const SentMessages& cell : cells)
      visit(Transfer{record.rank, cell.receiver, cell.messages, cell.bytes.value});
  };
  if (traffic == PairMatrix::kPointToPoint || traffic == PairMatrix::kAll) visit_all(record.sent);
  if (traffic == PairMatrix::kNeighbours || traffic == PairMatrix::kAll)
    visit_all(record.sent_to_neighbours);
  if (traffic == PairMatrix::kOneSided || traffic == PairMatrix::kAll) visit_all(record.put);
}

/// The data that `record`'s rank took from others by one-sided calls, visited as Transfers from
/// there to this rank.
template <class Visit>
void for_each_fetched(const RankRecord& record, PairMatrix traffic, Visit&& visit) {
  if (traffic != PairMatrix::kOneSided && traffic != PairMatrix::kAll) return;
  for (const SentMessages& cell : record.fetched)
    visit(Transfer{cell.receiver, record.rank, cell.messages, cell.bytes.value});
}

/// All of it.
template <class Visit>
void for_each_transfer(const Profile& profile, PairMatrix traffic, Visit&& visit) {
  for (const RankRecord& record : profile.rank_records) {
    for_each_sent(record, traffic, visit);
    for_each_fetched(record, traffic, visit);
  }
}

struct PairMatrixTotals {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};
PairMatrixTotals totals_of(const Profile& profile, PairMatrix traffic);

/// A rank x rank matrix small enough to be looked at: neighbouring ranks share a bin, and a cell
/// holds the sum over its pairs of ranks. A plain value.
struct BinnedMatrix {
  std::uint32_t ranks = 0;
  /// The last bin may hold fewer.
  std::uint32_t ranks_per_bin = 1;
  /// Rows, and columns.
  std::uint32_t bins = 0;
  /// Row by row; row = sender, column = receiver. Sums beyond 64 bits stay at the largest number.
  std::vector<std::uint64_t> sums;
  /// The extremes of the cells that are not 0; both 0 if all are.
  std::uint64_t least = 0;
  std::uint64_t most = 0;

  [[nodiscard]] std::uint64_t at(std::uint32_t row, std::uint32_t column) const {
    return sums[std::size_t{row} * bins + column];
  }
};

/// Precondition: most_bins is at least 1. Takes memory for at most most_bins x most_bins cells.
BinnedMatrix binned_matrix(const Profile& profile, PairMatrix traffic, commgraph::Weight weight,
                           std::uint32_t most_bins);

}  // namespace huddle::render
