#include "aggregator/waitstates/criticalpath/activity_log.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "aggregator/waitstates/criticalpath/critical_path.hpp"
#include "aggregator/waitstates/criticalpath/detail/dense_ids.hpp"
#include "aggregator/waitstates/criticalpath/slack.hpp"
#include "tests/aggregator/waitstates/criticalpath/log_builder.hpp"
#include "tests/aggregator/waitstates/criticalpath/random_program.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::waitstates {
namespace {

TEST_CASE("a log is the same in memory and in temporary files") {
  const RandomProgram program(5, 300, 1);
  const ActivityLog in_memory = program.log();
  const ActivityLog in_files = program.log(100);
  REQUIRE(in_memory.size() == in_files.size());
  for (std::uint64_t activity = 0; activity < in_memory.size(); ++activity) {
    CHECK(in_memory[activity].enter == in_files[activity].enter);
    CHECK(in_memory.links_of(activity).size() == in_files.links_of(activity).size());
    CHECK(in_memory.cause_of(activity).activity == in_files.cause_of(activity).activity);
  }
}

TEST_CASE("dependencies may come in any order") {
  LogBuilder builder(2);
  for (std::uint64_t i = 0; i < 3; ++i) {
    builder.call(0, 10 * i + 5, 10 * i + 6);
    builder.call(1, 10 * i, 10 * i + 7);
  }
  for (const std::uint64_t i : {2U, 0U, 1U}) builder.message(0, i, 1, i);
  const ActivityLog log = builder.build();
  for (std::uint64_t i = 0; i < 3; ++i) {
    REQUIRE(log.links_of(3 + i).size() == 1);
    CHECK(log.cause_of(3 + i).activity == i);
    CHECK(log.cause_of(3 + i).time == 10 * i + 5);
    CHECK(log.rank_of(3 + i) == 1);
  }
}

TEST_CASE("what names calls and ranks that are not there is left out, and counted") {
  LogBuilder builder(2);
  builder.call(0, 1, 2);
  builder.call(1, 1, 2);
  builder.message(0, 7, 1, 0);
  builder.message(9, 0, 1, 0);
  builder.message(0, 0, 1, 3);
  builder.message(0, 0, 1, 0);
  const ActivityLog log = builder.build();
  CHECK(log.left_out() == 3);
  CHECK(log.links_of(1).size() == 1);
}

TEST_CASE("call paths are the report's, whatever ranks call them") {
  LogBuilder builder(2);
  builder.call(0, 1, 2, "main/a", "main/a/MPI_Send");
  builder.call(1, 1, 2, "main/b", "main/a/MPI_Send");
  builder.call(1, 3, 4, "main/a", "main/MPI_Send");
  const ActivityLog log = builder.build();
  CHECK(log[0].before == builder.path("main/a"));
  CHECK(log[1].before == builder.path("main/b"));
  CHECK(log[2].before == builder.path("main/a"));
  CHECK(log[0].call_path == log[1].call_path);
  CHECK(log[2].call_path == builder.path("main/MPI_Send"));
  CHECK(log.path_before(0, log.first_of(1)) == CallPath::kRoot);
}

TEST_CASE("numbers of collective instances become small ones, however far apart they are") {
  for (const std::uint64_t step : {1ULL, 3ULL, 1ULL << 20U, 1ULL << 40U}) {
    DenseIds numbers(1000, 999 * step, {});
    for (int round = 0; round < 2; ++round)
      for (std::uint64_t i = 0; i < 1000; ++i) CHECK(numbers[i * step] == i);
    CHECK(numbers.count() == 1000);
  }
}

TEST_CASE("temporary files have no names, and a folder that does not exist is an error") {
  const store::TemporaryDirectory folder;
  ActivityBuffer buffer(folder.path(), 100);
  for (std::uint64_t i = 0; i < 1000; ++i) buffer.add(0, Activity{i, i + 1, 0, 0});
  CHECK(std::filesystem::is_empty(folder.path()));
  ActivityBuffer nowhere(folder.path() / "missing", 100);
  CHECK_THROWS_AS(
      [&] {
        for (std::uint64_t i = 0; i < 1000; ++i) nowhere.add(0, Activity{i, i + 1, 0, 0});
      }(),
      SystemError);
}

// The memory of this process, in KiB; pages of files, which can be dropped, do not count.
std::uint64_t own_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssAnon:")) return std::stoull(line.substr(8));
  return 0;
}

TEST_CASE("a log that is long and not wide needs little memory, and so does what is done with it") {
  constexpr std::uint64_t kCalls = 300'000;
  LogBuilder builder(2, 1U << 20U);
  const std::uint64_t before = own_memory();
  for (std::uint64_t i = 0; i < kCalls; ++i) {
    builder.call(0, 10 * i + 5, 10 * i + 6);
    builder.call(1, 10 * i, 10 * i + 7);
    builder.message(0, i, 1, i);
  }
  const ActivityLog log = builder.build();
  CHECK(log.size() == 2 * kCalls);
  CHECK(critical_path_of(log).jumps == 1);
  CHECK(slack_of(log).run_time == log.run_time());
  // The report takes 48 bytes for each call and message, and the log as much again.
  CHECK(own_memory() < before + 12 * 1024);
}

// Two ranks wait for the two others ten times; the ranks come in this order, or call by call.
CriticalPath path_of(const std::vector<std::uint32_t>& order, bool call_by_call,
                     const std::filesystem::path& folder) {
  LogBuilder whole(4);
  whole.report.call_paths = {{CallPath::kRoot, "main", false}, {0, "MPI_Barrier", true}};
  whole.definitions.regions = {{"main", traces::TraceRegion::Kind::kUser},
                               {"MPI_Barrier", traces::TraceRegion::Kind::kMpi}};
  for (std::uint32_t rank = 0; rank < 4; ++rank) whole.span(rank, 0, 200);
  ActivityBuffer buffer(folder, 64);
  for (const std::uint32_t rank : order) {
    buffer.add_path(rank, 0, CallPath::kRoot, 0, false);
    buffer.add_path(rank, 1, 0, 1, true);
  }
  const auto add_call = [&](std::uint32_t rank, std::uint64_t i) {
    buffer.add(rank, Activity{20 * i + 3 * ((rank + i) % 4), 20 * i + 12, 1, 0});
    Dependency meets;
    meets.kind = DependencyKind::kCollectiveAll;
    meets.activity = meets.begun_by = i;
    meets.on = i << 40U;
    meets.place = rank;
    meets.members = 4;
    buffer.add(rank, meets);
  };
  constexpr std::uint64_t kCalls = 10;
  for (std::uint64_t at = 0; at < kCalls * order.size(); ++at) {
    const std::uint64_t rank = call_by_call ? at % order.size() : at / kCalls;
    add_call(order[rank], call_by_call ? at / order.size() : at % kCalls);
  }
  return critical_path_of(make_activity_log(buffer, whole.report, whole.definitions));
}

TEST_CASE("a log does not depend on the order in which ranks report, and leaves no files") {
  const store::TemporaryDirectory folder;
  std::vector<std::uint32_t> order = {0, 1, 2, 3};
  const CriticalPath one = path_of(order, false, folder.path());
  CHECK(one.jumps == 10);
  do {
    for (const bool call_by_call : {false, true}) {
      const CriticalPath other = path_of(order, call_by_call, folder.path());
      CHECK(other.shares == one.shares);
      CHECK(other.intervals == one.intervals);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  CHECK(folder.entries() == 0);
}

}  // namespace
}  // namespace huddle::waitstates
