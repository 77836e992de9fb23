#include "aggregator/waitstates/criticalpath/activity_log.hpp"

#include <doctest/doctest.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

#include "aggregator/waitstates/criticalpath/critical_path.hpp"
#include "aggregator/waitstates/criticalpath/detail/dense_ids.hpp"
#include "aggregator/waitstates/criticalpath/slack.hpp"
#include "tests/aggregator/waitstates/criticalpath/log_builder.hpp"
#include "tests/aggregator/waitstates/criticalpath/random_program.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle {
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
  const TemporaryDirectory folder;
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

// Of this process, in KiB; what lies in files and can be dropped does not count.
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
  // What was reported takes 48 bytes for each call and message, and the log as much again.
  CHECK(own_memory() < before + 12 * 1024);
}

// Several processes as threads, for what make_activity_log() needs.
struct Processes {
  explicit Processes(std::uint32_t processes) : count(processes), bytes(processes) {}
  std::uint32_t count;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> bytes;
  std::uint64_t arrived = 0;
  std::uint64_t total = 0;

  // All come, then all go on.
  void meet() {
    std::unique_lock lock(mutex);
    const std::uint64_t round = arrived++ / count;
    changed.notify_all();
    changed.wait(lock, [&] { return arrived >= (round + 1) * count; });
  }
};

class OneOfSeveral final : public Exchange {
 public:
  OneOfSeveral(Processes& all, std::uint32_t process) : all_(all), process_(process) {}
  [[nodiscard]] std::uint32_t process() const override { return process_; }
  [[nodiscard]] std::uint32_t processes() const override { return all_.count; }
  void send(std::uint32_t, std::string) override {}
  std::vector<Parcel> receive(bool) override { return {}; }
  std::uint64_t sum(std::uint64_t value) override {
    {
      const std::lock_guard lock(all_.mutex);
      all_.total += value;
    }
    all_.meet();
    return all_.total;
  }
  std::vector<std::string> gather(std::string bytes) override {
    all_.bytes[process_] = std::move(bytes);
    all_.meet();
    return process_ == 0 ? all_.bytes : std::vector<std::string>();
  }

 private:
  Processes& all_;
  std::uint32_t process_;
};

// Half of the ranks on each process: 0 and 1 wait for 2 and 3.
CriticalPath path_by(std::uint32_t count, const std::filesystem::path& folder) {
  LogBuilder whole(4);
  whole.report.call_paths = {{CallPath::kRoot, "main", false}, {0, "MPI_Barrier", true}};
  whole.definitions.regions = {{"main", TraceRegion::Kind::kUser},
                               {"MPI_Barrier", TraceRegion::Kind::kMpi}};
  for (std::uint32_t rank = 0; rank < 4; ++rank) whole.span(rank, 0, 200);
  Processes all(count);
  CriticalPath path;
  std::vector<std::jthread> threads;
  for (std::uint32_t process = 0; process < count; ++process)
    threads.emplace_back([&, process] {
      ActivityBuffer buffer(folder, 64);
      for (std::uint32_t rank = process; rank < 4; rank += count) {
        buffer.add_path(rank, 0, CallPath::kRoot, 0, false);
        buffer.add_path(rank, 1, 0, 1, true);
        for (std::uint64_t i = 0; i < 10; ++i) {
          buffer.add(rank, Activity{20 * i + 3 * ((rank + i) % 4), 20 * i + 12, 1, 0});
          Dependency meets;
          meets.kind = DependencyKind::kCollectiveAll;
          meets.activity = meets.begun_by = i;
          meets.on = i << 40U;
          meets.place = rank;
          meets.members = 4;
          buffer.add(rank, meets);
        }
      }
      OneOfSeveral exchange(all, process);
      const ActivityLog log = make_activity_log(buffer, exchange, whole.report, whole.definitions);
      if (process == 0)
        path = critical_path_of(log);
      else
        CHECK(log.size() == 0);
    });
  threads.clear();
  return path;
}

TEST_CASE("several processes give the same log, and leave no files") {
  const TemporaryDirectory folder;
  const CriticalPath one = path_by(1, folder.path());
  CHECK(one.jumps == 10);
  for (const std::uint32_t count : {2U, 3U}) {
    const CriticalPath several = path_by(count, folder.path());
    CHECK(several.shares == one.shares);
    CHECK(several.intervals == one.intervals);
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace huddle
