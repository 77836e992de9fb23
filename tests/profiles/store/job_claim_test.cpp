#include "profiles/store/job_claim.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::store {
namespace {

struct ClaimedPlace {
  TemporaryDirectory directory;
  std::filesystem::path file = claim_beside(directory.path() / "plan-abc.json");
  JobClaim claim = claim_of_this_process("halo");
};

TEST_CASE("one job gets a place, and another plan's place is another one") {
  const ClaimedPlace place;
  CHECK(place.file.filename() == "plan-abc.first");
  CHECK_FALSE(read_claim(place.file));
  CHECK(take_claim(place.file, place.claim));
  CHECK_FALSE(take_claim(place.file, place.claim));
  CHECK(take_claim(place.directory.path() / "plan-abd.first", place.claim));
  const JobClaim found = *read_claim(place.file);
  CHECK(found.token() == place.claim.token());
  CHECK(found.made == place.claim.made);
  CHECK(found.job_name == "halo");
  CHECK(found.job == 0);
}

TEST_CASE("a job adds its number to its own claim, once, and to no other's") {
  const ClaimedPlace place;
  REQUIRE(take_claim(place.file, place.claim));
  name_claim(place.file, "elsewhere:1:2", 7);
  CHECK(read_claim(place.file)->job == 0);
  name_claim(place.file, place.claim.token(), 8);
  name_claim(place.file, place.claim.token(), 9);  // another task of its array
  CHECK(read_claim(place.file)->job == 8);
  name_claim(place.directory.path() / "gone.first", place.claim.token(), 8);
  CHECK_FALSE(read_claim(place.directory.path() / "gone.first"));
}

TEST_CASE("a claim that is over frees the place, and no claim that was made since") {
  ClaimedPlace place;
  REQUIRE(take_claim(place.file, place.claim));
  JobClaim earlier = place.claim;
  earlier.process.pid += 1;
  end_claim(place.file, earlier);
  CHECK(read_claim(place.file));
  end_claim(place.file, place.claim);
  CHECK_FALSE(read_claim(place.file));
  end_claim(place.file, place.claim);
  CHECK(take_claim(place.file, place.claim));
}

TEST_CASE("any name of a job survives on one line") {
  const ClaimedPlace place;
  REQUIRE(take_claim(place.file, claim_of_this_process("a job\njob 7\xff")));
  const JobClaim found = *read_claim(place.file);
  CHECK(found.job == 0);
  CHECK(found.job_name == "a job job 7\xff");
}

TEST_CASE("a file that is no claim is one of an unknown process, as old as the file") {
  const ClaimedPlace place;
  for (const char* text : {"", "by x\n", "made 2026-11-28T00:00:00.000Z\n", "\xff\xff"}) {
    put_file(place.file.string(), text);
    const auto found = read_claim(place.file);
    REQUIRE(found);
    CHECK(found->job == 0);
    CHECK(std::chrono::abs(found->made - utc_now()) < std::chrono::minutes(1));
    CHECK_FALSE(take_claim(place.file, place.claim));
    end_claim(place.file, *found);
    CHECK_FALSE(read_claim(place.file));
  }
}

TEST_CASE("a job is being submitted as long as the process of this host that does it") {
  const ClaimedPlace place;
  CHECK(is_being_submitted(place.claim) == true);
  JobClaim other = place.claim;
  other.process.started += 1;  // another process got the number
  CHECK(is_being_submitted(other) == false);
  other.host = "elsewhere";
  CHECK_FALSE(is_being_submitted(other));
}

TEST_CASE("of many submissions at once, one gets the place") {
  const ClaimedPlace place;
  std::atomic<int> claims = 0;
  std::vector<std::thread> submissions;
  for (int i = 0; i < 16; ++i)
    submissions.emplace_back([&] { claims += take_claim(place.file, place.claim) ? 1 : 0; });
  for (std::thread& submission : submissions) submission.join();
  CHECK(claims == 1);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(place.directory.path())) {
    static_cast<void>(entry);
    ++files;
  }
  CHECK(files == 1);
}

TEST_CASE("where nothing can be written, nobody gets the place") {
  const ClaimedPlace place;
  CHECK_THROWS_AS(take_claim(place.directory.path() / "gone" / "plan-abc.first", place.claim),
                  SystemError);
}

}  // namespace
}  // namespace huddle::store
