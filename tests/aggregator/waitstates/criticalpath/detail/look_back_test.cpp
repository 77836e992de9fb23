#include "aggregator/waitstates/criticalpath/detail/look_back.hpp"

#include <doctest/doctest.h>

#include "tests/aggregator/waitstates/criticalpath/random_program.hpp"

namespace huddle::waitstates {
namespace {

// Goes back through all ranks in turn, and looks back from each activity as far as is allowed.
void check_against(const ActivityLog& log, LookBack& past) {
  for (std::uint64_t back = 1; back <= log.size(); ++back)
    for (std::uint32_t rank = 0; rank < log.ranks(); ++rank) {
      const std::uint64_t count = log.first_of(rank + 1) - log.first_of(rank);
      if (back > count) continue;
      const std::uint64_t last = log.first_of(rank + 1) - back;
      const std::uint64_t reach = std::min(last - log.first_of(rank), LookBack::kReach);
      for (const std::uint64_t activity : {last, last - reach / 2, last - reach}) {
        const PastActivity& it = past.at(rank, activity);
        const ActivityLog::Cause cause = log.cause_of(activity);
        CHECK(it.enter == log[activity].enter);
        CHECK(it.leave == log[activity].leave);
        CHECK(it.computed == log.computation_before(rank, activity));
        CHECK(it.cause == cause.activity);
        CHECK(it.leave - it.enter - it.waited == log.transfer_of(activity, cause.time));
        CHECK(it.before == log.path_before(rank, activity));
        CHECK(it.call_path == log[activity].call_path);
        std::size_t messages = 0;
        for (const ActivityLink& link : log.links_of(activity))
          messages +=
              link.kind == DependencyKind::kMessage || link.kind == DependencyKind::kReceiver ? 1
                                                                                              : 0;
        std::size_t found = 0;
        for (const PastMeeting& meeting : past.meetings_of(rank, activity))
          found += meeting.rank == PastMeeting::kCollective ? 0 : 1;
        CHECK(found == messages);
      }
    }
}

TEST_CASE("looking back shows what the log has, with much memory and with hardly any") {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const RandomProgram program(4, 700, seed);
    const ActivityLog log = program.log();
    CAPTURE(seed);
    LookBack much(log);
    check_against(log, much);
    LookBack little(log, 1);
    check_against(log, little);
  }
}

}  // namespace
}  // namespace huddle::waitstates
