#include "profiles/store/site_sweep.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>

#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::store {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kDayOfSite{24};

// A number that no user of this machine has.
uid_t unknown_user() {
  uid_t number = 54321;
  while (::getpwuid(number) != nullptr) ++number;
  return number;
}

void make_old(const fs::path& file, int days) {
  const auto written =
      std::chrono::system_clock::to_time_t(std::chrono::system_clock::now() - days * kDayOfSite);
  const std::array<timespec, 2> times{{{written, 0}, {written, 0}}};
  REQUIRE(::utimensat(AT_FDCWD, file.c_str(), times.data(), AT_SYMLINK_NOFOLLOW) == 0);
}

// A site's store, with a part of an owner that holds a file, all written so many days ago.
struct SiteStore {
  SiteStore() { ::chmod(directory.path().c_str(), 01777); }
  fs::path put(const std::string& name, uid_t owner, int days) const {
    const fs::path part = directory.path() / name;
    const fs::path folder = part / "app" / "4";
    fs::create_directories(folder);
    std::ofstream(folder / "profile-1.json") << "{}";
    for (const fs::path& path : {folder / "profile-1.json", folder, part / "app", part}) {
      REQUIRE(::lchown(path.c_str(), owner, owner) == 0);
      make_old(path, days);
    }
    ::chmod(part.c_str(), 0700);
    return part;
  }
  [[nodiscard]] SiteSweep sweep(int days) const {
    return sweep_site(Store(directory.path()), {.age = days * kDayOfSite});
  }
  TemporaryDirectory directory;
};

bool is_root() {
  if (::geteuid() == 0) return true;
  MESSAGE("not root: a store of several users can't be made");
  return false;
}

TEST_CASE("what a user left who is gone is removed once it is old, and not before") {
  if (!is_root()) return;
  const SiteStore site;
  const fs::path old = site.put("gone", unknown_user(), 40);
  const fs::path young = site.put("just-gone", unknown_user() + 1, 20);
  CHECK(site.sweep(0).departed.empty());  // the site keeps everything
  const SiteSweep swept = site.sweep(30);
  CHECK(swept.departed == std::vector<fs::path>{old});
  CHECK(swept.failures.empty());
  CHECK_FALSE(fs::exists(old));
  CHECK(fs::exists(young));
}

TEST_CASE("one file that was written lately keeps all of such a part") {
  if (!is_root()) return;
  const SiteStore site;
  const fs::path part = site.put("gone", unknown_user(), 40);
  make_old(part / "app" / "4" / "profile-1.json", 1);
  CHECK(site.sweep(30).departed.empty());
  CHECK(fs::exists(part));
}

TEST_CASE("links in such a part lead nowhere, and folders of root's and of users stay") {
  if (!is_root()) return;
  const SiteStore site;
  const TemporaryDirectory elsewhere;
  std::ofstream(elsewhere.path() / "file") << "of somebody else";
  ::chmod(elsewhere.path().c_str(), 0777);
  const fs::path part = site.put("gone", unknown_user(), 40);
  fs::create_symlink(elsewhere.path(), part / "link");
  make_old(part / "link", 40);
  make_old(part, 40);
  const fs::path roots = site.put("roots", 0, 40);
  const fs::path others = site.put("not-the-name", 65534, 40);
  CHECK(site.sweep(30).departed == std::vector<fs::path>{part});
  CHECK(fs::exists(elsewhere.path() / "file"));
  CHECK(fs::exists(roots));
  CHECK(fs::exists(others));
}

TEST_CASE("parts of users are swept by the rules of submissions, with their rights") {
  if (!is_root()) return;
  const passwd* const nobody = ::getpwuid(65534);
  if (nobody == nullptr) return;
  const SiteStore site;
  const fs::path part = site.put(nobody->pw_name, 65534, 40);
  std::ofstream(part / "app" / "4" / "outcome-20200101T000000.000Z-1.json") << "{}";
  REQUIRE(::lchown((part / "app" / "4" / "outcome-20200101T000000.000Z-1.json").c_str(), 65534,
                   65534) == 0);
  make_old(part / "app" / "4" / "outcome-20200101T000000.000Z-1.json", 40);
  const SiteSweep swept = site.sweep(30);
  CHECK(swept.users == 1);
  CHECK(swept.removed > 0);
  CHECK(fs::exists(part));
  CHECK(::geteuid() == 0);
}

}  // namespace
}  // namespace huddle::store
