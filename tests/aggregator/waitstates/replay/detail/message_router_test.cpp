#include "aggregator/waitstates/replay/detail/message_router.hpp"

#include <doctest/doctest.h>

#include <atomic>

#include "aggregator/waitstates/replay/detail/report_parts.hpp"
#include "tests/aggregator/waitstates/memory_exchange.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

TEST_CASE("the OR over processes has what any of them has, beyond 64 elements too") {
  on_processes(3, [](Exchange& exchange) {
    std::vector<bool> values(130);
    values[exchange.process() * 64] = true;
    allreduce_or(exchange, values);
    CHECK(std::count(values.begin(), values.end(), true) == 3);
    CHECK((values[0] && values[64] && values[128]));
  });
}

TEST_CASE("the least of all values is found by sums") {
  on_processes(3, [](Exchange& exchange) {
    CHECK(exchange.Exchange::least(1000 - exchange.process()) == 998);
    CHECK(exchange.Exchange::least(UINT64_MAX) == UINT64_MAX);
  });
}

// Each message is answered by one of one hop less, until there are none left.
TEST_CASE("a standstill is known when no message is in flight, and not before") {
  constexpr std::uint32_t kProcesses = 3;
  constexpr std::uint64_t kHops = 40;
  std::atomic<std::uint64_t> delivered = 0;
  on_processes(kProcesses, [&](Exchange& exchange) {
    MessageRouter* sender = nullptr;
    MessageRouter router(exchange, [&](const ReplayMessage& message) {
      ++delivered;
      if (message.number == 0) return;
      ReplayMessage next = message;
      --next.number;
      next.to = (exchange.process() + 1 + message.tag) % kProcesses;
      if (next.to == exchange.process()) next.to = (next.to + 1) % kProcesses;
      sender->send(next.to, next);
    });
    sender = &router;
    ReplayMessage first;
    first.number = kHops;
    first.tag = exchange.process() % 2;
    router.send((exchange.process() + 1) % kProcesses, first);
    bool still = false;
    while (!still) still = router.idle() || router.receive(true);
    CHECK(delivered == kProcesses * (kHops + 1));
  });
}

TEST_CASE("a part of a report is the same after its way to another process, or refused") {
  ReportPart part;
  ReportPart::Location& location = part.locations.emplace_back();
  location.index = 3;
  location.begin = 5;
  location.paths = {{CallPath::kRoot, 1, 2, 3}};
  location.waits.resize(1);
  location.waits[0].ticks = 77;
  location.waits[0].energy.winners = {1, 0, 4};
  location.timeline.resize(2);
  location.timeline[1].mpi = 9;
  part.anomalies.clock_violations = 4;
  part.remarks = {"odd", ""};
  const std::string bytes = packed(part);
  const ReportPart copy = unpacked(bytes);
  CHECK(packed(copy) == bytes);
  CHECK(copy.remarks == part.remarks);
  REQUIRE(copy.locations.size() == 1);
  CHECK(copy.locations[0].waits == location.waits);
  CHECK(copy.locations[0].timeline == location.timeline);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_THROWS_AS(unpacked(bytes.substr(0, size)), Error);
}

}  // namespace
}  // namespace huddle
