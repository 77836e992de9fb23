#include "profiles/energyd/steps/step_notice.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "profiles/vocabulary/error.hpp"

namespace huddle::energyd {
namespace {

namespace fs = std::filesystem;

class NoticeFolder {
 public:
  NoticeFolder() : path_(fs::temp_directory_path() / fmt::format("huddle-steps-{}", ::getpid())) {}
  ~NoticeFolder() { fs::remove_all(path_); }
  NoticeFolder(const NoticeFolder&) = delete;
  NoticeFolder& operator=(const NoticeFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

StepNotice notice_of(std::uint32_t job, const char* step) {
  return {{job, step}, {1000, PuSet::parse("0-3")}, processes::own_identity()};
}

TEST_CASE("steps that were announced are found until they are withdrawn") {
  const NoticeFolder folder;
  CHECK(announced_steps(folder.path()).empty());
  announce(notice_of(17, "batch"), folder.path());
  announce(notice_of(17, "0"), folder.path());
  const std::vector<StepNotice> steps = announced_steps(folder.path());
  REQUIRE(steps.size() == 2);
  CHECK(steps[0] == notice_of(17, "0"));
  CHECK(steps[1] == notice_of(17, "batch"));
  withdraw({17, "0"}, folder.path());
  CHECK(announced_steps(folder.path()).size() == 1);
  withdraw({18, "0"}, folder.path());
}

TEST_CASE("a step whose slurmstepd is gone is over, whatever its file says") {
  const NoticeFolder folder;
  StepNotice notice = notice_of(17, "0");
  --notice.slurmstepd.started;
  announce(notice, folder.path());
  CHECK(announced_steps(folder.path()).empty());
}

TEST_CASE("what others could write is not believed") {
  const NoticeFolder folder;
  announce(notice_of(17, "0"), folder.path());
  fs::permissions(folder.path(), fs::perms::all);
  CHECK(announced_steps(folder.path()).empty());
  CHECK_THROWS_AS(announce(notice_of(18, "0"), folder.path()), Error);
}

TEST_CASE("others learn nothing of steps, also where an earlier version let them") {
  const NoticeFolder folder;
  const auto rights = [&] {
    return fs::status(folder.path()).permissions() & (fs::perms::group_all | fs::perms::others_all);
  };
  announce(notice_of(17, "0"), folder.path());
  CHECK(rights() == fs::perms::none);
  CHECK(fs::status(folder.path() / "17.0").permissions() ==
        (fs::perms::owner_read | fs::perms::owner_write));
  ::chmod(folder.path().c_str(), 0755);
  announce(notice_of(18, "0"), folder.path());
  CHECK(rights() == fs::perms::none);
}

TEST_CASE("files that are no announcements are passed over") {
  const NoticeFolder folder;
  announce(notice_of(17, "0"), folder.path());
  std::ofstream(folder.path() / "18.0") << "huddle step 1\njob x\n";
  std::ofstream(folder.path() / "19.0") << text_of(notice_of(20, "0"));  // of another step
  CHECK(announced_steps(folder.path()).size() == 1);
}

TEST_CASE("an announcement that is none is refused with its line") {
  const std::string good = text_of(notice_of(17, "0"));
  CHECK(parse_step_notice(good, "x") == notice_of(17, "0"));
  for (const std::string& bad :
       {std::string(), good + "more\n", good.substr(0, good.size() - 1),
        std::string("huddle step 1\njob 17\nstep ../x\nuser 0\npus \nslurmstepd 1 1\nend\n"),
        std::string("huddle step 1\njob 17\nstep 0\nuser 0\npus \nslurmstepd 1\nend\n"),
        std::string("huddle step 1\njob 17\nstep 0\nuser 0\npus 9-\nslurmstepd 1 1\nend\n")})
    CHECK_THROWS_AS(static_cast<void>(parse_step_notice(bad, "x")), Error);
  CHECK_THROWS_WITH(static_cast<void>(parse_step_notice("huddle step 1\njob no\n", "x")),
                    doctest::Contains("line 2"));
}

}  // namespace
}  // namespace huddle::energyd
