#include "profiles/files/own_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "profiles/files/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::files {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a name of Huddle's own is taken back from a folder, a link or a pipe") {
  const store::TemporaryDirectory directory;
  const fs::path path = directory.path() / "f";
  const fs::path target = directory.path() / "target";
  store::put_file(target, "kept");
  const auto write = [&] {
    make_way(path);
    AtomicFile file(path);
    file.write("new");
    file.commit();
    CHECK(read_own_file(path, 10) == "new");
    fs::remove(path);
  };
  fs::create_symlink(target, path);
  CHECK_THROWS_AS(static_cast<void>(read_own_file(path, 10)), SystemError);
  write();
  fs::create_symlink(directory.path(), path);
  write();
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  write();
  fs::create_directory(path);
  write();
  fs::create_directory(path);
  store::put_file(path / "inside", "kept");
  write();
  CHECK(directory.entries() == 2);  // the last folder has a hidden name
  CHECK(store::get_file(target) == "kept");
}

TEST_CASE("a file to lock is opened in place of what can't be used so") {
  const store::TemporaryDirectory directory;
  const fs::path path = directory.path() / "lock";
  const auto opens_file = [&] {
    const OwnedDescriptor file = open_own_file(path);
    return file.valid() && fs::symlink_status(path).type() == fs::file_type::regular;
  };
  CHECK(opens_file());
  store::put_file(path, "content");
  CHECK(opens_file());
  CHECK(store::get_file(path) == "content");
  fs::remove(path);
  fs::create_symlink(directory.path() / "elsewhere", path);
  CHECK(opens_file());
  CHECK_FALSE(fs::exists(directory.path() / "elsewhere"));
  fs::remove(path);
  fs::create_directory(path);
  CHECK(opens_file());
  fs::remove(path);
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  CHECK(opens_file());
}

}  // namespace
}  // namespace huddle::files
