#include "spank_plugin/launch/job_rankfiles.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <fstream>

#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::launch {
namespace {

namespace fs = std::filesystem;

void make(const fs::path& file, std::chrono::hours age) {
  std::ofstream(file) << "rank 0=n0 slot=0\n";
  fs::last_write_time(file, fs::file_time_type::clock::now() - age);
}

TEST_CASE("rankfiles of jobs of long ago are removed, and nothing else beside a plan") {
  const store::TemporaryDirectory scratch;
  constexpr std::chrono::hours kOld{24 * 61};
  constexpr std::chrono::hours kYoung{24};
  const fs::path plan = scratch.path() / "plan.json";
  const fs::path old = rankfile_beside(plan, "17");
  const fs::path companion = rankfile_beside(plan, "17", 2);
  CHECK(companion.filename() == "job-17-2.rankfile");
  const fs::path young = rankfile_beside(plan, "18");
  make(old, kOld);
  make(companion, kOld);
  make(young, kYoung);
  make(plan, kOld);
  for (const char* own : {"my.rankfile", "job-.rankfile", "job-a1.rankfile", "job-1-.rankfile",
                          "job-17.rankfile.bak"})
    make(scratch.path() / own, kOld);
  remove_old_rankfiles(scratch.path());
  CHECK_FALSE(fs::exists(old));
  CHECK_FALSE(fs::exists(companion));
  CHECK(fs::exists(young));
  CHECK(fs::exists(plan));
  for (const char* own : {"my.rankfile", "job-.rankfile", "job-a1.rankfile", "job-1-.rankfile",
                          "job-17.rankfile.bak"})
    CHECK_MESSAGE(fs::exists(scratch.path() / own), own);
  CHECK_NOTHROW(remove_old_rankfiles(scratch.path() / "missing"));
}

}  // namespace
}  // namespace huddle::launch
