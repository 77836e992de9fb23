#include "profiles/store/timed_runs.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <thread>

#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::store {
namespace {

const TimedLayout kSubmitted{"abc", "/home/ann/app", "", 8};
const TimedLayout kPacked{"abc", "/home/ann/app", "2:2:2", 2};

TimedRun run_at(std::uint64_t job, int second) {
  const auto start = parse_utc(fmt::format("2026-11-25T00:00:{:02}Z", second));
  return {job, fmt::format("{}.0", job), *start, Seconds{12.5}, "0f"};
}

TEST_CASE("times of steps are found by their layout, oldest first, and no others") {
  const TemporaryDirectory folder;
  store_timed_run(folder.path(), kSubmitted, run_at(2, 20));
  store_timed_run(folder.path(), kSubmitted, run_at(1, 10));
  store_timed_run(folder.path(), kPacked, run_at(3, 30));
  for (TimedLayout other : {kSubmitted, kSubmitted, kSubmitted}) {
    other.program += "2";
    store_timed_run(folder.path(), other, run_at(4, 40));
  }
  const std::vector<TimedRun> runs = timed_runs(folder.path(), kSubmitted, 10);
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].job == 1);
  CHECK(runs[1].job == 2);
  CHECK(runs[1].step == "2.0");
  CHECK(runs[1].elapsed == Seconds{12.5});
  CHECK(runs[1].build_id == "0f");
  CHECK(runs[1].start == run_at(2, 20).start);
  REQUIRE(timed_runs(folder.path(), kPacked, 10).size() == 1);
  REQUIRE(timed_runs(folder.path(), kSubmitted, 1).size() == 1);
  CHECK(timed_runs(folder.path(), kSubmitted, 1)[0].job == 2);
}

TEST_CASE("files of times that are broken are passed over") {
  const TemporaryDirectory folder;
  store_timed_run(folder.path(), kPacked, run_at(1, 10));
  std::filesystem::path file;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) file = entry.path();
  for (const char* text :
       {"", "1", "1 1.0 now 3 - 0 /home/ann/app\n",
        "x 1.0 2026-11-25T00:00:10.000Z 3 - 0 /home/ann/app\n",
        "1 1.0 2026-11-25T00:00:10.000Z 0 - 0 /home/ann/app\n",
        "1 1.0 2026-11-25T00:00:10.000Z nan - 0 /home/ann/app\n",
        "1 1.0 2026-11-25T00:00:10.000Z 3 - x /home/ann/app\n",
        "1 1.0 2026-11-25T00:00:10.000Z 3 -\n", "1 1.0 2026-11-25T00:00:10.000Z 3 - 0\n",
        "1 1.0 2026-11-25T00:00:10.000Z 3 - 0 /home/ann/app"}) {
    CAPTURE(text);
    put_file(file.string(), text);
    CHECK(timed_runs(folder.path(), kPacked, 10).empty());
  }
}

TEST_CASE("steps of a program are found wherever it was copied to, with what they ended with") {
  const TemporaryDirectory folder;
  TimedLayout copied = kSubmitted;
  copied.program = "/tmp/a folder of job 17/app";
  TimedRun run = run_at(1, 10);
  run.status = 7;
  store_timed_run(folder.path(), copied, run);
  TimedLayout another = kSubmitted;
  another.program = "/opt/other/app";
  run = run_at(2, 20);
  run.build_id = "ff";
  store_timed_run(folder.path(), another, run);
  TimedLayout asked = kSubmitted;
  asked.build_id = "0f";
  const std::vector<TimedRun> runs = timed_runs(folder.path(), asked, 10);
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].program == copied.program);
  CHECK(runs[0].status == 7);
  TimedLayout other_clocks = asked;
  other_clocks.clocks = "by loads";
  CHECK(timed_runs(folder.path(), other_clocks, 10).empty());
  CHECK(timed_pattern("2:2:2", {1.8e9}) == "2:2:2 at 1800000 kHz");
}

TEST_CASE("of 200 steps that end at once none is lost or doubled") {
  const TemporaryDirectory folder;
  std::vector<std::thread> steps;
  for (std::uint64_t job = 1; job <= 200; ++job)
    steps.emplace_back([&, job] { store_timed_run(folder.path(), kPacked, run_at(job, 10)); });
  for (std::thread& step : steps) step.join();
  std::set<std::uint64_t> jobs;
  for (const TimedRun& run : timed_runs(folder.path(), kPacked, 1000)) jobs.insert(run.job);
  CHECK(timed_runs(folder.path(), kPacked, 1000).size() == 200);
  CHECK(jobs.size() == 200);
}

TEST_CASE("steps of a program are found wherever it was copied to, with what they ended with") {
  const TemporaryDirectory folder;
  TimedLayout copied = kSubmitted;
  copied.program = "/tmp/a folder of job 17/app";
  TimedRun run = run_at(1, 10);
  run.status = 7;
  store_timed_run(folder.path(), copied, run);
  TimedLayout another = kSubmitted;
  another.program = "/opt/other/app";
  run = run_at(2, 20);
  run.build_id = "ff";
  store_timed_run(folder.path(), another, run);
  TimedLayout asked = kSubmitted;
  asked.build_id = "0f";
  const std::vector<TimedRun> runs = timed_runs(folder.path(), asked, 10);
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].program == copied.program);
  CHECK(runs[0].status == 7);
  TimedLayout other_clocks = asked;
  other_clocks.clocks = "by loads";
  CHECK(timed_runs(folder.path(), other_clocks, 10).empty());
  CHECK(timed_pattern("2:2:2", {1.8e9}) == "2:2:2 at 1800000 kHz");
}

TEST_CASE("of 200 steps that end at once while some are killed, those that ended are there once") {
  const TemporaryDirectory folder;
  std::vector<pid_t> steps;
  for (std::uint64_t job = 1; job <= 200; ++job) {
    const pid_t step = ::fork();
    REQUIRE(step >= 0);
    if (step == 0) {
      store_timed_run(folder.path(), kPacked, run_at(job, 10));
      ::_exit(0);
    }
    // Each third one dies at some moment around its write.
    if (job % 3 == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(job * 7));
      ::kill(step, SIGKILL);
    }
    steps.push_back(step);
  }
  std::multiset<std::uint64_t> found;
  std::set<std::uint64_t> ended;
  for (std::uint64_t job = 1; job <= steps.size(); ++job) {
    int status = 0;
    REQUIRE(::waitpid(steps[job - 1], &status, 0) == steps[job - 1]);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) ended.insert(job);
  }
  REQUIRE(ended.size() >= 133);
  for (const TimedRun& run : timed_runs(folder.path(), kPacked, 1000)) {
    CHECK(run.elapsed == Seconds{12.5});
    found.insert(run.job);
  }
  for (std::uint64_t job = 1; job <= steps.size(); ++job) {
    CAPTURE(job);
    CHECK(found.count(job) <= 1);
    if (ended.contains(job)) CHECK(found.count(job) == 1);
  }
}

}  // namespace
}  // namespace huddle::store
