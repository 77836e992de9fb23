#include "aggregator/waitstates/criticalpath/timeline_detail.hpp"

#include <doctest/doctest.h>

#include "tests/aggregator/waitstates/criticalpath/log_builder.hpp"

namespace huddle {
namespace {

// Rank 0 works for 40 ticks and sends; rank 1 waits for it from 10 on, and works from 45 to 100.
LogBuilder late_sender() {
  LogBuilder builder(2);
  builder.call(0, 40, 42, "main/work", "main/MPI_Send");
  builder.call(1, 10, 45, "main", "main/MPI_Recv");
  builder.call(1, 100, 100, "main/work", "main/work");
  builder.message(0, 0, 1, 0);
  builder.span(0, 0, 42);
  builder.span(1, 0, 100);
  return builder;
}

TEST_CASE("a message goes from the call that sent it to the end of the call that received it") {
  LogBuilder builder = late_sender();
  const ActivityLog log = builder.build();
  const TimelineDetail detail = timeline_detail_of(log, builder.report, 10);
  CHECK(detail.all_messages == 1);
  CHECK(detail.messages == std::vector<TimelineMessage>{{0, 1, 40, 45, 30}});
  CHECK(detail.functions.empty());
}

TEST_CASE("a bin has the function that took most of it, and equal bins are put together") {
  LogBuilder builder = late_sender();
  const ActivityLog log = builder.build();
  WaitReport& report = builder.report;
  report.timeline_begin = report.begin;
  report.timeline_bin = 20;
  report.timeline.assign(2, std::vector<TimelineBin>(5));
  const TimelineDetail detail = timeline_detail_of(log, report, 10);
  const std::uint32_t work = builder.path("main/work");
  const std::uint32_t send = builder.path("main/MPI_Send");
  const std::uint32_t receive = builder.path("main/MPI_Recv");
  // Rank 1's first bin is half main and half MPI_Recv: the first of them counts.
  const std::uint32_t main = builder.path("main");
  CHECK(
      detail.functions ==
      std::vector<TimelineFunction>{
          {0, 0, 2, work}, {0, 2, 1, send}, {1, 0, 1, main}, {1, 1, 1, receive}, {1, 2, 3, work}});
}

TEST_CASE("of more messages than asked for those stay that were waited for longest") {
  constexpr std::uint64_t kMessages = 300;
  LogBuilder builder(2);
  for (std::uint64_t i = 0; i < kMessages; ++i) {
    const std::uint64_t begin = 1000 * i;
    const std::uint64_t late = i % 3 == 0 ? i + 1 : 0;  // a third is waited for
    builder.call(0, begin + late, begin + late + 1, "main", "main/MPI_Send");
    builder.call(1, begin, begin + 500, "main", "main/MPI_Recv");
    builder.message(0, i, 1, i);
  }
  builder.span(0, 0, 1000 * kMessages);
  builder.span(1, 0, 1000 * kMessages);
  const ActivityLog log = builder.build();
  const TimelineDetail some = timeline_detail_of(log, builder.report, 20);
  CHECK(some.all_messages == kMessages);
  REQUIRE(some.messages.size() == 20);
  for (const TimelineMessage& message : some.messages) CHECK(message.waiting > 240);
  const TimelineDetail more = timeline_detail_of(log, builder.report, 150);
  std::uint64_t waited = 0;
  std::uint64_t late_half = 0;
  for (const TimelineMessage& message : more.messages) {
    waited += message.waiting > 0 ? 1 : 0;
    if (message.waiting == 0 && message.sent >= 500 * kMessages) ++late_half;
  }
  CHECK(waited == 100);
  // The other 50 are from all over the run.
  CHECK(late_half > 10);
  CHECK(late_half < 40);
  CHECK(timeline_detail_of(log, builder.report, 0).messages.empty());
}

}  // namespace
}  // namespace huddle
