#include "aggregator/waitstates/replay/detail/collective_matcher.hpp"

#include <doctest/doctest.h>

#include <map>

#include "tests/aggregator/waitstates/memory_trace.hpp"

namespace huddle::waitstates {
namespace {

// Members of one subject that arrive by place, and the answers by place.
struct Arrivals {
  explicit Arrivals(const traces::TraceDefinitions& definitions) : members(definitions) {}

  void arrive(std::uint32_t place, std::uint64_t time, traces::Collective collective,
              std::uint32_t root = traces::kNobody) {
    ReplayMessage arrival;
    arrival.kind = ReplayMessageKind::kArrival;
    arrival.collective = collective;
    arrival.subject = subject;
    arrival.place = place;
    arrival.location = place;
    arrival.root = root;
    arrival.time = time;
    matcher.arrive(arrival);
  }

  std::uint32_t subject = 0;
  Members members;
  std::vector<bool> ended;
  std::map<std::uint32_t, std::uint64_t> until;
  std::vector<std::uint32_t> unknown;
  CollectiveMatcher matcher{members, ended, [this](const ReplayMessage& answer) {
                              CHECK_FALSE(until.contains(answer.to));
                              until[answer.to] = answer.time;
                              if (!answer.known) unknown.push_back(answer.to);
                            }};
};

using Times = std::map<std::uint32_t, std::uint64_t>;

TEST_CASE("a subject's members are its communicator's, of both sides, or its window's") {
  MemoryTrace trace(4);
  const std::uint32_t between = trace.add_communicator({2, 0}, {3, 1});
  const std::uint32_t window = trace.add_window(between) | kWindowSubject;
  Members members(trace.definitions());
  CHECK(members.defined(between));
  CHECK_FALSE(members.defined(between + 1));
  CHECK_FALSE(members.defined((window + 1) | kWindowSubject));
  for (const std::uint32_t subject : {between, window}) {
    CHECK(members.count(subject) == 4);
    CHECK(members.first_side(subject) == 2);
    CHECK(members.rank(subject, 1) == 0);
    CHECK(members.rank(subject, 2) == 3);
    CHECK(members.place(subject, 1) == 3);
  }
  const std::uint32_t some = trace.add_communicator({1, 2});
  Members again(trace.definitions());
  CHECK(again.place(some, 0) == traces::kNobody);
  CHECK(again.place(some, 2) == 1);
}

TEST_CASE("members of a barrier wait until the last one comes") {
  MemoryTrace trace(3);
  Arrivals arrivals(trace.definitions());
  arrivals.arrive(2, 30, traces::Collective::kBarrier);
  arrivals.arrive(0, 50, traces::Collective::kBarrier);
  CHECK(arrivals.until.empty());
  CHECK(arrivals.matcher.unfinished() == 1);
  arrivals.arrive(1, 10, traces::Collective::kBarrier);
  CHECK(arrivals.until == Times{{0, 50}, {1, 50}, {2, 50}});
  CHECK(arrivals.matcher.unfinished() == 0);
}

TEST_CASE("members of a broadcast wait for the root alone, and know it when the root comes") {
  MemoryTrace trace(4);
  Arrivals arrivals(trace.definitions());
  arrivals.arrive(0, 10, traces::Collective::kFromRoot, 1);
  arrivals.arrive(1, 40, traces::Collective::kFromRoot, 1);
  CHECK(arrivals.until == Times{{0, 40}});
  arrivals.arrive(2, 60, traces::Collective::kFromRoot, 1);
  CHECK(arrivals.until == Times{{0, 40}, {2, 40}});
  arrivals.arrive(3, 90, traces::Collective::kFromRoot, 1);
  CHECK(arrivals.until == Times{{0, 40}, {1, 0}, {2, 40}, {3, 40}});
}

TEST_CASE("the root of a reduction waits for the last of the others, who wait for nobody") {
  MemoryTrace trace(3);
  Arrivals arrivals(trace.definitions());
  arrivals.arrive(0, 70, traces::Collective::kToRoot, 0);
  arrivals.arrive(1, 20, traces::Collective::kToRoot, 0);
  arrivals.arrive(2, 30, traces::Collective::kToRoot, 0);
  CHECK(arrivals.until == Times{{0, 30}, {1, 0}, {2, 0}});
}

TEST_CASE("members of a scan wait for the last of the lower places") {
  MemoryTrace trace(3);
  Arrivals arrivals(trace.definitions());
  arrivals.arrive(1, 50, traces::Collective::kScan);
  CHECK(arrivals.until.empty());
  arrivals.arrive(0, 20, traces::Collective::kScan);
  CHECK(arrivals.until == Times{{0, 0}, {1, 20}});
  arrivals.arrive(2, 30, traces::Collective::kScan);
  CHECK(arrivals.until == Times{{0, 0}, {1, 20}, {2, 50}});
}

TEST_CASE(
    "between two groups each waits for the other, and only the root of a rooted one's comes") {
  MemoryTrace trace(4);
  Arrivals all_to_all(trace.definitions());
  const std::uint32_t between = trace.add_communicator({0, 1}, {2, 3});
  all_to_all.subject = between;
  all_to_all.arrive(0, 10, traces::Collective::kAllToAll);
  all_to_all.arrive(1, 20, traces::Collective::kAllToAll);
  all_to_all.arrive(2, 30, traces::Collective::kAllToAll);
  all_to_all.arrive(3, 40, traces::Collective::kAllToAll);
  CHECK(all_to_all.until == Times{{0, 40}, {1, 40}, {2, 20}, {3, 20}});
  Arrivals broadcast(trace.definitions());
  broadcast.subject = between;
  broadcast.arrive(2, 10, traces::Collective::kFromRoot, 0);
  broadcast.arrive(3, 20, traces::Collective::kFromRoot, 0);
  broadcast.arrive(0, 30, traces::Collective::kFromRoot, 0);
  CHECK(broadcast.until == Times{{0, 0}, {2, 30}, {3, 30}});
}

TEST_CASE("members that wait for an ended rank are answered that it is not known") {
  MemoryTrace trace(3);
  Arrivals arrivals(trace.definitions());
  arrivals.arrive(0, 10, traces::Collective::kBarrier);
  arrivals.arrive(1, 20, traces::Collective::kBarrier);
  CHECK(arrivals.matcher.give_up() == 0);
  arrivals.ended = {false, false, true};
  CHECK(arrivals.matcher.give_up() == 2);
  CHECK(arrivals.unknown.size() == 2);
  CHECK(arrivals.matcher.unfinished() == 1);
}

}  // namespace
}  // namespace huddle::waitstates
