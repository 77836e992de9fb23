#include "aggregator/waitstates/criticalpath/detail/meetings.hpp"

#include <algorithm>

namespace huddle::waitstates {

bool Meetings::meets(std::uint32_t rank, std::uint64_t activity, std::uint32_t other,
                     std::uint64_t end, Instances& own, const Instances& others,
                     std::uint64_t& partner) {
  for (const PastMeeting& meeting : past_.meetings_of(rank, activity)) {
    if (meeting.rank != PastMeeting::kCollective) {
      if (meeting.rank != other || meeting.on >= end) continue;
      partner = meeting.on;
      return true;
    }
    const auto met = others.find(meeting.on);
    if (met != others.end()) {
      partner = met->second;
      return true;
    }
    own.emplace(meeting.on, activity);
  }
  return false;
}

// Both ranks step by step, so that no more is looked at than what is compared afterwards.
Meeting Meetings::before(std::uint32_t waiting, std::uint64_t activity, std::uint32_t late,
                         std::uint64_t on) {
  of_waiting_.clear();
  of_late_.clear();
  std::uint64_t mine = activity;
  std::uint64_t its = on;
  const std::uint64_t my_first = log_.first_of(waiting);
  const std::uint64_t its_first = log_.first_of(late);
  std::uint64_t partner = 0;
  for (std::uint64_t steps = 0; steps < kFarthest && (mine > my_first || its > its_first);
       ++steps) {
    if (mine > my_first) {
      --mine;
      if (meets(waiting, mine, late, on, of_waiting_, of_late_, partner))
        return {mine + 1, partner + 1, 0};
    }
    if (its > its_first) {
      --its;
      if (meets(late, its, waiting, activity, of_late_, of_waiting_, partner))
        return {partner + 1, its + 1, 0};
    }
  }
  const auto begin_of = [&](std::uint32_t rank, std::uint64_t first, std::uint64_t of) {
    return of == first ? log_.begin_of(rank) : past_.at(rank, of - 1).leave;
  };
  return {mine, its, std::max(begin_of(waiting, my_first, mine), begin_of(late, its_first, its))};
}

}  // namespace huddle::waitstates
