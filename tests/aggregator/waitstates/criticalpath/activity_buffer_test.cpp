#include "aggregator/waitstates/criticalpath/activity_buffer.hpp"

#include <doctest/doctest.h>

#include <map>
#include <mutex>
#include <string>

#include "aggregator/waitstates/replay/wait_report.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/waitstates/memory_exchange.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

// Process p replays rank p: p + 1 activities, each with a dependency, and a call path.
void fill(ActivityBuffer& buffer, std::uint32_t rank) {
  buffer.add_path(rank, 0, CallPath::kRoot, 10 + rank, false);
  for (std::uint64_t i = 0; i <= rank; ++i) {
    Activity activity;
    activity.enter = 100 * rank + i;
    buffer.add(rank, activity);
    Dependency dependency;
    dependency.activity = i;
    buffer.add(rank, dependency);
  }
}

TEST_CASE("the first process reads what all have recorded, each rank's in order") {
  const TemporaryDirectory folder;
  for (const std::uint32_t processes : {1U, 2U, 4U}) {
    CAPTURE(processes);
    // Every record but the last of each process goes to a file.
    on_processes(processes, [&](Exchange& exchange) {
      ActivityBuffer buffer(folder.path(), 1);
      fill(buffer, exchange.process());
      ActivitySource source(buffer, exchange);
      if (exchange.process() == 0) {
        std::map<std::uint32_t, std::uint64_t> activities;
        source.each_activity([&](const ActivityBuffer::ActivityRecord& record) {
          CHECK(record.activity.enter == 100 * record.rank + activities[record.rank]++);
        });
        std::map<std::uint32_t, std::uint64_t> dependencies;
        source.each_dependency([&](const ActivityBuffer::DependencyRecord& record) {
          CHECK(record.dependency.activity == dependencies[record.rank]++);
        });
        for (std::uint32_t rank = 0; rank < processes; ++rank) {
          CHECK(activities[rank] == rank + 1);
          CHECK(dependencies[rank] == rank + 1);
        }
        CHECK(source.dependencies() == processes * (processes + 1) / 2);
        REQUIRE(source.paths().size() == processes);
        for (std::uint32_t rank = 0; rank < processes; ++rank)
          CHECK(source.paths()[rank].region == 10 + rank);
      }
      source.release(true);
    });
    CHECK(folder.entries() == 0);
  }
}

TEST_CASE("processes that recorded nothing change nothing") {
  const TemporaryDirectory folder;
  on_processes(3, [&](Exchange& exchange) {
    ActivityBuffer buffer(folder.path());
    if (exchange.process() == 1) fill(buffer, 1);
    ActivitySource source(buffer, exchange);
    if (exchange.process() == 0) {
      std::uint64_t count = 0;
      source.each_activity([&](const ActivityBuffer::ActivityRecord&) { ++count; });
      CHECK(count == 2);
      CHECK(source.dependencies() == 2);
      CHECK(source.paths().size() == 1);
    }
    source.release(true);
  });
}

TEST_CASE("if the first process can't read what the others wrote, they all end with an error") {
  const TemporaryDirectory folder;
  std::mutex mutex;
  std::map<std::uint32_t, std::string> errors;
  on_processes(3, [&](Exchange& exchange) {
    ActivityBuffer buffer(folder.path(), 1);
    fill(buffer, exchange.process());
    ActivitySource source(buffer, exchange);
    const std::string error = error_of([&] { source.release(exchange.process() != 0); });
    const std::lock_guard lock(mutex);
    errors[exchange.process()] = error;
  });
  CHECK(errors[0].empty());  // it has an error of its own
  for (const std::uint32_t process : {1U, 2U})
    CHECK(errors[process] ==
          "the first process of the analysis could not read what the others wrote");
}

// The only other process, which answers with bytes of the test's choice.
class OddPartner : public Exchange {
 public:
  explicit OddPartner(std::string bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] std::uint32_t process() const override { return 0; }
  [[nodiscard]] std::uint32_t processes() const override { return 2; }
  void send(std::uint32_t, std::string) override {}
  std::vector<Parcel> receive(bool) override { return {}; }
  std::uint64_t sum(std::uint64_t value) override { return value; }
  std::vector<std::string> gather(std::string) override { return {"", bytes_}; }

 private:
  std::string bytes_;
};

TEST_CASE("a message of another process that is cut short or names too much is refused") {
  const auto number = [](std::uint64_t value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const std::string head =
      number(0) + number(0) + number(0) + number(1) + "a" + number(1) + "b" + number(1) + "c";
  const std::string one_path = number(1) + std::string(sizeof(ActivityBuffer::PathRecord), '\0');
  std::string whole = head + one_path + one_path;
  const auto paths_in = [](const std::string& bytes) {
    ActivityBuffer buffer;
    OddPartner partner(bytes);
    return ActivitySource(buffer, partner).paths().size();
  };
  CHECK(paths_in(whole) == 1);
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_THROWS_AS(paths_in(whole.substr(0, size)), Error);
  // As many records as overflow a count of bytes to 0.
  CHECK_THROWS_AS(paths_in(head + number(std::uint64_t{1} << 62U)), Error);
}

}  // namespace
}  // namespace huddle
