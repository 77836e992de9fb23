#include "profiles/store/first_run.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include "profiles/store/unreviewed_runs.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle {
namespace {

using std::chrono::system_clock;

struct StoredPlan {
  TemporaryDirectory directory;
  std::filesystem::path plan = directory.path() / "plan-abc.json";
  system_clock::time_point now = system_clock::now();
};

TEST_CASE("one job may be the first that follows a plan") {
  const StoredPlan stored;
  CHECK_FALSE(first_run_is_claimed(stored.plan, stored.now));
  CHECK(claim_first_run(stored.plan, stored.now));
  CHECK(first_run_is_claimed(stored.plan, stored.now));
  CHECK_FALSE(claim_first_run(stored.plan, stored.now));
  CHECK(claim_first_run(stored.directory.path() / "plan-abd.json", stored.now));
}

TEST_CASE("a job that came to nothing gives the place back") {
  const StoredPlan stored;
  CHECK(claim_first_run(stored.plan, stored.now));
  release_first_run(stored.plan);
  CHECK(claim_first_run(stored.plan, stored.now));
}

TEST_CASE("a job that does not begin for hours has lost the place, one that has begun keeps it") {
  const StoredPlan stored;
  CHECK(claim_first_run(stored.plan, stored.now));
  const auto later = stored.now + kFirstRunPatience + std::chrono::minutes(1);
  put_file(unreviewed_run_path(stored.plan, "17.0"), "outcome-1.json");
  CHECK(first_run_is_claimed(stored.plan, later));
  CHECK_FALSE(claim_first_run(stored.plan, later));
  std::filesystem::remove(unreviewed_run_path(stored.plan, "17.0"));
  CHECK_FALSE(first_run_is_claimed(stored.plan, later));
  CHECK(claim_first_run(stored.plan, later));
  CHECK_FALSE(claim_first_run(stored.plan, stored.now));
}

TEST_CASE("of many submissions at once, one gets the place") {
  const StoredPlan stored;
  // The second time the place has lapsed.
  for (const auto when : {stored.now, stored.now + 2 * kFirstRunPatience}) {
    std::atomic<int> claims = 0;
    std::vector<std::thread> submissions;
    for (int i = 0; i < 16; ++i)
      submissions.emplace_back([&] { claims += claim_first_run(stored.plan, when) ? 1 : 0; });
    for (std::thread& submission : submissions) submission.join();
    CHECK(claims == 1);
  }
}

TEST_CASE("where nothing can be written, nobody gets the place") {
  const StoredPlan stored;
  CHECK_THROWS_AS(claim_first_run(stored.directory.path() / "gone" / "plan-abc.json", stored.now),
                  SystemError);
}

}  // namespace
}  // namespace huddle
