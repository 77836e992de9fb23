#include "profiles/files/trusted_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::files {
namespace {

TEST_CASE("root believes regular files of root that nobody else may write to, and no others") {
  if (::geteuid() != 0) return;  // only root can make them
  const store::TemporaryDirectory scratch;
  const auto path = scratch.path() / "policy";
  std::ofstream(path) << "text";
  ::chmod(path.c_str(), 0644);
  CHECK(read_trusted_file(path, 4) == "text");
  CHECK_THROWS_WITH_AS(read_trusted_file(path, 3), doctest::Contains("at most 3"), Error);

  for (const mode_t mode : {0664U, 0646U, 0666U}) {
    ::chmod(path.c_str(), mode);
    CHECK_THROWS_WITH_AS(read_trusted_file(path, 4), doctest::Contains("has mode"), Error);
  }
  ::chmod(path.c_str(), 0644);
  REQUIRE(::chown(path.c_str(), 65534, 0) == 0);
  CHECK_THROWS_WITH_AS(read_trusted_file(path, 4), doctest::Contains("user 65534"), Error);

  const auto link = scratch.path() / "link";
  std::filesystem::create_symlink(path, link);
  CHECK_THROWS_WITH_AS(read_trusted_file(link, 4), doctest::Contains("is a link"), Error);
  const auto fifo = scratch.path() / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  CHECK_THROWS_WITH_AS(read_trusted_file(fifo, 4), doctest::Contains("no regular file"), Error);
  CHECK_THROWS_WITH_AS(read_trusted_file(scratch.path(), 4), doctest::Contains("no regular file"),
                       Error);
  CHECK_THROWS_AS(read_trusted_file(scratch.path() / "missing", 4), SystemError);
}

TEST_CASE(
    "a path is trusted if nobody else could change any part of it, where links lead included") {
  namespace fs = std::filesystem;
  const store::TemporaryDirectory scratch;
  const fs::path folder = scratch.path() / "folder";
  fs::create_directory(folder);
  const fs::path file = folder / "file";
  std::ofstream(file) << "text";
  ::chmod(folder.c_str(), 0755);
  ::chmod(file.c_str(), 0755);
  CHECK(why_untrusted(file).empty());
  CHECK(why_untrusted(folder / "missing" / "file").empty());
  CHECK(why_untrusted(folder / ".." / "folder" / "." / "file").empty());

  const fs::path link = scratch.path() / "link";
  fs::create_symlink("folder/../folder/file", link);
  CHECK(why_untrusted(link).empty());
  ::chmod(file.c_str(), 0775);
  CHECK(why_untrusted(link) == file.string() + " has mode 775");
  ::chmod(file.c_str(), 0755);

  ::chmod(folder.c_str(), 0777);
  CHECK(why_untrusted(file) == folder.string() + " has mode 777");
  CHECK(why_untrusted(link) == folder.string() + " has mode 777");
  ::chmod(folder.c_str(), 01777);  // as /tmp, which the whole path goes through
  CHECK(why_untrusted(file).empty());

  fs::create_symlink("circle", scratch.path() / "circle");
  CHECK_FALSE(why_untrusted(scratch.path() / "circle").empty());
  if (::geteuid() != 0) return;  // only root can give files away
  REQUIRE(::lchown(link.c_str(), 65534, 65534) == 0);
  CHECK(why_untrusted(link) == link.string() + " belongs to user 65534");
  REQUIRE(::chown(folder.c_str(), 65534, 65534) == 0);
  CHECK(why_untrusted(file) == folder.string() + " belongs to user 65534");
}

}  // namespace
}  // namespace huddle::files
