#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// Which of a profile's rank x rank matrices is meant; kAll is their sum.
enum class Traffic : std::uint8_t { kPointToPoint, kOneSided, kNeighbours, kAll };

struct TrafficName {
  std::string_view option;
  /// Fits behind "bytes ".
  std::string_view words;
  Traffic traffic;
};
inline constexpr std::array<TrafficName, 4> kTrafficNames = {{
    {"point-to-point", "sent point to point", Traffic::kPointToPoint},
    {"one-sided", "moved by one-sided calls", Traffic::kOneSided},
    {"neighbours", "sent by neighbourhood collectives", Traffic::kNeighbours},
    {"all", "sent in any way but collectives of all", Traffic::kAll},
}};

std::string_view words_for(Traffic traffic);

/// What moved from one rank to another.
struct Transfer {
  Rank from;
  Rank to;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  [[nodiscard]] std::uint64_t measured_in(Weight weight) const {
    return weight == Weight::kBytes ? bytes : messages;
  }
};

/// What `record`'s rank sent or wrote to others in `traffic`, visited as Transfers: one for each
/// receiver and size class.
template <class Visit>
void for_each_sent(const RankRecord& record, Traffic traffic, Visit&& visit) {
  const auto visit_all = [&](const std::vector<SentMessages>& cells) {
    for (const SentMessages& cell : cells)
      visit(Transfer{record.rank, cell.receiver, cell.messages, cell.bytes.value});
  };
  if (traffic == Traffic::kPointToPoint || traffic == Traffic::kAll) visit_all(record.sent);
  if (traffic == Traffic::kNeighbours || traffic == Traffic::kAll)
    visit_all(record.sent_to_neighbours);
  if (traffic == Traffic::kOneSided || traffic == Traffic::kAll) visit_all(record.put);
}

/// What `record`'s rank took from others by one-sided calls, visited as Transfers from there to
/// this rank.
template <class Visit>
void for_each_fetched(const RankRecord& record, Traffic traffic, Visit&& visit) {
  if (traffic != Traffic::kOneSided && traffic != Traffic::kAll) return;
  for (const SentMessages& cell : record.fetched)
    visit(Transfer{cell.receiver, record.rank, cell.messages, cell.bytes.value});
}

/// All of it.
template <class Visit>
void for_each_transfer(const Profile& profile, Traffic traffic, Visit&& visit) {
  for (const RankRecord& record : profile.rank_records) {
    for_each_sent(record, traffic, visit);
    for_each_fetched(record, traffic, visit);
  }
}

struct TrafficTotals {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};
TrafficTotals totals_of(const Profile& profile, Traffic traffic);

}  // namespace huddle
