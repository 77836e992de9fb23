#include "aggregator/recommend/detail/memory_need.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace huddle::recommend {

MemoryNeed::MemoryNeed(const Profile& profile, Bytes least, double margin)
    : by_rank_(profile.rank_records.size()) {
  Bytes largest;
  for (const RankRecord& record : profile.rank_records) {
    by_rank_[record.rank.value] = record.peak_resident;
    largest = std::max(largest, record.peak_resident);
    if (record.peak_resident == Bytes{0}) ++unknown_;
  }
  std::replace(by_rank_.begin(), by_rank_.end(), Bytes{0}, largest);
  for (Bytes& need : by_rank_) {
    need = {need.value + static_cast<std::uint64_t>(static_cast<double>(need.value) * margin)};
    need = std::max(need, least);
  }
}

Bytes MemoryNeed::fullest_node(const std::vector<std::uint32_t>& core_of,
                               std::uint32_t cores_per_node) const {
  std::map<std::uint32_t, Bytes> by_node;
  Bytes most;
  for (std::size_t rank = 0; rank < by_rank_.size(); ++rank) {
    Bytes& needed = by_node[core_of[rank] / cores_per_node];
    needed += by_rank_[rank];
    most = std::max(most, needed);
  }
  return most;
}

std::optional<std::string> MemoryNeed::note() const {
  if (unknown_ == 0) return std::nullopt;
  if (unknown_ == by_rank_.size())
    return "the profile does not know how much memory the ranks took: no pattern is ruled out for "
           "want of memory";
  return fmt::format(
      "how much memory {} of {} ranks took is unknown: each counts as much as the largest one that "
      "is known",
      unknown_, by_rank_.size());
}

}  // namespace huddle::recommend
