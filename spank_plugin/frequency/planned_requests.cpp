#include "spank_plugin/frequency/planned_requests.hpp"

#include <algorithm>
#include <cmath>

#include "spank_plugin/frequency/frequency_request.hpp"

namespace huddle {
namespace {

ClockLimits limits_of(Hertz frequency, const ClockLimits& allowed) {
  const double khz = std::clamp(std::round(frequency.value / 1e3), 1.0,
                                static_cast<double>(ClockLimits::kMostKhz));
  const auto whole = static_cast<std::uint32_t>(khz);
  return moved_into({whole, whole}, allowed);
}

}  // namespace

std::string planned_requests(const std::vector<RankPlace>& placement,
                             const std::vector<Hertz>& by_rank, const ClockLimits& allowed,
                             std::size_t most_bytes) {
  std::vector<FrequencyRequest> requests;
  ClockLimits highest = limits_of(by_rank[0], allowed);
  bool all_alike = true;
  for (std::uint32_t rank = 0; rank < by_rank.size(); ++rank) {
    const ClockLimits limits = limits_of(by_rank[rank], allowed);
    if (limits != highest) all_alike = false;
    highest = higher(highest, limits);
    const bool joins = rank > 0 && requests.back().limits == limits &&
                       placement[rank].node == placement[rank - 1].node;
    if (joins) {
      FrequencyRequest::Ranks& ranks = *requests.back().ranks;
      ranks.last = rank;
      for (const std::uint32_t pu : placement[rank].pus.members()) ranks.pus.add(pu);
    } else {
      requests.push_back({FrequencyRequest::Ranks{rank, rank, placement[rank].pus}, limits});
    }
  }
  const std::string in_full = text_of(requests);
  if (all_alike || in_full.size() > most_bytes) return text_of({{std::nullopt, highest}});
  return in_full;
}

}  // namespace huddle
