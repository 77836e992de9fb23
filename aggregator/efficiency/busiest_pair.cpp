#include "aggregator/efficiency/busiest_pair.hpp"

#include <algorithm>
#include <unordered_map>

namespace huddle::efficiency {

std::optional<BusiestPair> busiest_pair_of(const Profile& profile) {
  std::unordered_map<std::uint64_t, std::uint64_t> bytes_of;  // by both ranks, the lower one first
  BusiestPair found;
  for (const RankRecord& record : profile.rank_records)
    for (const auto* cells :
         {&record.sent, &record.sent_to_neighbours, &record.put, &record.fetched})
      for (const SentMessages& cell : *cells) {
        if (cell.receiver == record.rank || cell.bytes.value == 0) continue;
        const auto [low, high] = std::minmax(record.rank.value, cell.receiver.value);
        bytes_of[std::uint64_t{low} << 32U | high] += cell.bytes.value;
        found.all += cell.bytes;
      }
  if (bytes_of.empty()) return std::nullopt;
  std::uint64_t busiest = 0;
  for (const auto& [pair, bytes] : bytes_of) {
    if (bytes < found.bytes.value || (bytes == found.bytes.value && pair > busiest)) continue;
    busiest = pair;
    found.bytes.value = bytes;
  }
  found.low.value = static_cast<std::uint32_t>(busiest >> 32U);
  found.high.value = static_cast<std::uint32_t>(busiest);
  const double nearly = 0.99 * static_cast<double>(found.bytes.value);
  found.as_busy = static_cast<std::uint64_t>(std::ranges::count_if(
      bytes_of, [&](const auto& pair) { return static_cast<double>(pair.second) >= nearly; }));
  return found;
}

}  // namespace huddle::efficiency
