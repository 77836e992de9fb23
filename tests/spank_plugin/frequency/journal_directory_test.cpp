#include "spank_plugin/frequency/journal_directory.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/frequency/journal.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::frequency {
namespace {

namespace fs = std::filesystem;
using IfAbsent = JournalDirectory::IfAbsent;
using std::chrono::milliseconds;

constexpr milliseconds kPatience{50};

JournalDirectory opened(const fs::path& path) {
  auto directory = JournalDirectory::open(path, IfAbsent::kMake, kPatience);
  REQUIRE(directory.has_value());
  return std::move(*directory);
}

TEST_CASE("a missing directory is made for root alone, or left missing") {
  const store::TemporaryDirectory scratch;
  const fs::path path = scratch.path() / "journal";
  CHECK_FALSE(JournalDirectory::open(path, IfAbsent::kLeave, kPatience));
  opened(path);
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0700);
  CHECK_THROWS_AS(JournalDirectory::open(path / "a/b", IfAbsent::kMake, kPatience), SystemError);
}

TEST_CASE("a journal is replaced, read and removed") {
  const store::TemporaryDirectory scratch;
  const JournalDirectory directory = opened(scratch.path() / "journal");
  CHECK_FALSE(directory.read());
  CHECK_NOTHROW(directory.remove());
  directory.write("one");
  directory.write("two");
  CHECK(directory.read() == "two");
  CHECK(fs::exists(directory.set_aside()));
  CHECK_FALSE(directory.read());
  directory.write("three");
  directory.remove();
  CHECK_FALSE(fs::exists(directory.file()));
}

TEST_CASE("a directory that others may write to, or that is a link, is refused") {
  const store::TemporaryDirectory scratch;
  const fs::path open_to_all = scratch.path() / "open";
  fs::create_directory(open_to_all);
  ::chmod(open_to_all.c_str(), 0770);
  CHECK_THROWS_WITH_AS(opened(open_to_all), doctest::Contains("mode 770"), Error);
  const fs::path real = scratch.path() / "real";
  fs::create_directory(real);
  fs::create_directory_symlink(real, scratch.path() / "link");
  CHECK_THROWS_AS(opened(scratch.path() / "link"), SystemError);
  std::ofstream(scratch.path() / "file") << "x";
  CHECK_THROWS_AS(opened(scratch.path() / "file"), SystemError);
}

TEST_CASE("a directory that others may open is refused, since they could keep it locked") {
  const store::TemporaryDirectory scratch;
  const fs::path readable = scratch.path() / "readable";
  fs::create_directory(readable);
  for (const mode_t mode : {0755U, 0750U, 0710U}) {
    ::chmod(readable.c_str(), mode);
    CHECK_THROWS_WITH_AS(opened(readable), doctest::Contains("nobody else may open"), Error);
  }
}

TEST_CASE("a journal that could not be read again is not written") {
  const store::TemporaryDirectory scratch;
  const JournalDirectory directory = opened(scratch.path() / "journal");
  directory.write("old");
  CHECK_THROWS_AS(directory.write(std::string(kMostJournalBytes + 1, ' ')), Error);
  CHECK(directory.read() == "old");
  CHECK_NOTHROW(directory.write(std::string(kMostJournalBytes, ' ')));
  CHECK(directory.read()->size() == kMostJournalBytes);
}

TEST_CASE("a directory of another user is refused") {
  if (::geteuid() != 0) return;  // only root can make one
  const store::TemporaryDirectory scratch;
  const fs::path path = scratch.path() / "journal";
  fs::create_directory(path);
  REQUIRE(::chown(path.c_str(), 65534, 65534) == 0);
  CHECK_THROWS_WITH_AS(opened(path), doctest::Contains("belongs to user 65534"), Error);
}

TEST_CASE("no link is followed inside, neither to read nor to write") {
  const store::TemporaryDirectory scratch;
  const fs::path victim = scratch.path() / "victim";
  std::ofstream(victim) << "precious";
  const JournalDirectory directory = opened(scratch.path() / "journal");
  fs::create_symlink(victim, directory.file());
  CHECK_THROWS_AS((void)directory.read(), SystemError);
  fs::create_symlink(victim, fs::path(directory.file().string() + ".new"));
  directory.write("text");
  CHECK(directory.read() == "text");
  std::string content;
  std::ifstream(victim) >> content;
  CHECK(content == "precious");
}

TEST_CASE("what is no regular file does not hang its reader") {
  const store::TemporaryDirectory scratch;
  const JournalDirectory directory = opened(scratch.path() / "journal");
  REQUIRE(::mkfifo(directory.file().c_str(), 0600) == 0);
  CHECK_THROWS_AS((void)directory.read(), Error);
}

TEST_CASE("one at a time holds the directory, and the other gives up after a while") {
  const store::TemporaryDirectory scratch;
  const fs::path path = scratch.path() / "journal";
  {
    const JournalDirectory first = opened(path);
    CHECK_THROWS_WITH_AS(opened(path), doctest::Contains("stays locked"), Error);
  }
  CHECK_NOTHROW(opened(path));
}

}  // namespace
}  // namespace huddle::frequency
