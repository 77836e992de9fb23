#include "profiles/store/owner_rights.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>

#include "profiles/files/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::store {
namespace {

namespace fs = std::filesystem;

bool can_read(const fs::path& file) {
  try {
    static_cast<void>(files::read_file(file, 100));
    return true;
  } catch (const SystemError&) {
    return false;
  }
}

TEST_CASE("root reads a user's folder with that user's rights, and has its own again afterwards") {
  if (::geteuid() != 0) return;
  const TemporaryDirectory root;
  fs::permissions(root.path(), fs::perms(0755));
  const fs::path secret = root.path() / "secret";
  put_file(secret, "x");
  fs::permissions(secret, fs::perms(0600));
  const fs::path folder = root.path() / "nobody";
  fs::create_directories(folder);
  put_file(folder / "own", "x");
  fs::permissions(folder / "own", fs::perms(0600));
  fs::create_symlink(secret, folder / "link");
  REQUIRE(::chown((folder / "own").c_str(), 65534, 65534) == 0);
  REQUIRE(::chown(folder.c_str(), 65534, 65534) == 0);
  {
    const OwnerRights rights(folder);
    CHECK(can_read(folder / "own"));
    CHECK_FALSE(can_read(folder / "link"));
    CHECK_FALSE(can_read(secret));
  }
  CHECK(::geteuid() == 0);
  CHECK(can_read(folder / "link"));
}

TEST_CASE("nothing changes where the folder is the caller's own, or missing") {
  const TemporaryDirectory root;
  const uid_t before = ::geteuid();
  for (const fs::path& folder : {root.path(), root.path() / "missing"}) {
    const OwnerRights rights(folder);
    CHECK(::geteuid() == before);
  }
}

}  // namespace
}  // namespace huddle::store
