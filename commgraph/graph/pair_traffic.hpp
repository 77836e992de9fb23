#pragma once

#include <cstdint>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// What two vertices send to each other, both ways together.
struct PairTraffic {
  Vertex a = 0;
  Vertex b = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const PairTraffic&, const PairTraffic&) = default;
};

/// Visits what a profile counted between pairs of ranks, as PairTraffic: point-to-point messages,
/// what neighbourhood collectives carried, and what one-sided calls wrote or fetched (one call
/// counts as a message). Once for each receiver and size class of a rank, in the order of the
/// records, so a pair may come up often; a rank with itself, too.
template <class Visit>
void for_each_counted(const Profile& profile, const Visit& visit) {
  for (const RankRecord& record : profile.rank_records)
    // Which way `fetched` went does not matter: pairs have no direction.
    for (const auto* cells :
         {&record.sent, &record.sent_to_neighbours, &record.put, &record.fetched})
      for (const SentMessages& cell : *cells)
        visit(PairTraffic{record.rank.value, cell.receiver.value, cell.messages, cell.bytes.value});
}

/// `traffic` with each pair once, a < b, ascending by a, then b; what a vertex sends to itself is
/// dropped. Throws Error if a sum is 2^64 or more.
std::vector<PairTraffic> added_up(std::vector<PairTraffic> traffic);

}  // namespace huddle
