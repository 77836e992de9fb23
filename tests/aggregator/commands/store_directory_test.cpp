#include "aggregator/commands/setup/setup_parts.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::cli {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a directory of profiles is made for all, where nothing was before") {
  const store::TemporaryDirectory folder;
  const fs::path store = folder.path() / "store";
  CHECK(why_no_store(store).empty());
  make_store_directory(store);
  struct stat status {};
  REQUIRE(::lstat(store.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 01777);
  CHECK(why_no_store(store).empty());
  CHECK_THROWS_AS(make_store_directory(store), SystemError);
  CHECK_THROWS_AS(make_store_directory(folder.path() / "none" / "store"), SystemError);
}

TEST_CASE("a link, a file and a directory of others are no directory of profiles") {
  const store::TemporaryDirectory folder;
  const fs::path inside = folder.path() / "inside";
  fs::create_directory(inside);
  fs::permissions(inside, fs::perms{0700});
  const fs::path link = folder.path() / "link";
  fs::create_symlink(inside, link);
  CHECK(why_no_store(link).find("is a link") != std::string::npos);
  // Also if it took the place after somebody looked: nothing behind it changes.
  CHECK_THROWS_AS(make_store_directory(link), SystemError);
  CHECK(fs::status(inside).permissions() == fs::perms{0700});
  if (::geteuid() != 0) return;  // only root can give it away
  REQUIRE(::chown(inside.c_str(), 65534, 65534) == 0);
  CHECK(why_no_store(inside).find("belongs to user 65534") != std::string::npos);
}

}  // namespace
}  // namespace huddle::cli
