#include "aggregator/waitstates/criticalpath/activity_buffer.hpp"

#include <doctest/doctest.h>

#include <map>

#include "aggregator/waitstates/replay/wait_report.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::waitstates {
namespace {

constexpr std::uint32_t kRanks = 4;

// Rank r: r + 1 activities, each with a dependency, and a call path; the ranks in turn.
void fill(ActivityBuffer& buffer) {
  for (std::uint32_t rank = 0; rank < kRanks; ++rank)
    buffer.add_path(rank, 0, CallPath::kRoot, 10 + rank, rank == 3);
  for (std::uint64_t i = 0; i < kRanks; ++i)
    for (auto rank = static_cast<std::uint32_t>(i); rank < kRanks; ++rank) {
      Activity activity;
      activity.enter = 100 * rank + i;
      buffer.add(rank, activity);
      Dependency dependency;
      dependency.activity = i;
      buffer.add(rank, dependency);
    }
}

using Counts = std::map<std::uint32_t, std::uint64_t>;

TEST_CASE("what was recorded comes back, each rank's in order, from memory and from files") {
  const store::TemporaryDirectory folder;
  // One record at a time, a few, and all in memory.
  for (const std::size_t in_memory : {std::size_t{1}, std::size_t{200}, std::size_t{1} << 20U}) {
    CAPTURE(in_memory);
    ActivityBuffer buffer(folder.path(), in_memory);
    fill(buffer);
    const Counts each = {{0, 1}, {1, 2}, {2, 3}, {3, 4}};
    Counts activities;
    buffer.activities().each([&](const ActivityBuffer::ActivityRecord& record) {
      CHECK(record.activity.enter == 100 * record.rank + activities[record.rank]++);
    });
    CHECK(activities == each);
    Counts dependencies;
    buffer.dependencies().each([&](const ActivityBuffer::DependencyRecord& record) {
      CHECK(record.dependency.activity == dependencies[record.rank]++);
    });
    CHECK(dependencies == each);
    CHECK(buffer.activities().size() == 10);
    CHECK(buffer.dependencies().size() == 10);
    CHECK(buffer.folder() == folder.path());
    CHECK(folder.entries() == 0);
  }
}

TEST_CASE("call paths of ranks are kept apart") {
  ActivityBuffer buffer;
  fill(buffer);
  REQUIRE(buffer.paths().size() == kRanks);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    CHECK(buffer.paths()[rank].rank == rank);
    CHECK(buffer.paths()[rank].region == 10 + rank);
    CHECK(buffer.paths()[rank].mpi == (rank == 3 ? 1U : 0U));
  }
}

TEST_CASE("a buffer that nothing was put into has nothing") {
  const ActivityBuffer buffer("/nowhere/at/all");
  buffer.activities().each([](const ActivityBuffer::ActivityRecord&) { FAIL("an activity"); });
  CHECK(buffer.dependencies().size() == 0);
  CHECK(buffer.paths().empty());
}

}  // namespace
}  // namespace huddle::waitstates
