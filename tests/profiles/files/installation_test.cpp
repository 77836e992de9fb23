#include "profiles/files/installation.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/profiles/store/temporary_directory.hpp"

using huddle::files::installation;
using huddle::files::installation_of;
using huddle::store::TemporaryDirectory;

TEST_CASE("an installed command finds its modules under whatever prefix it was moved to") {
  const TemporaryDirectory prefix;
  const auto configured = installation();
  // The part of the configured folder that lies below its prefix is lib/huddle, or Debian's
  // lib/<triplet>/huddle.
  auto below = configured.modules.relative_path();
  while (!below.empty() && *below.begin() != "lib" && *below.begin() != "lib64") {
    std::filesystem::path rest;
    for (auto part = std::next(below.begin()); part != below.end(); ++part) rest /= *part;
    below = rest;
  }
  const auto modules = prefix.path() / below;
  std::filesystem::create_directories(modules);
  std::ofstream(modules / "libhuddle_recorder.so") << "";

  const auto found = installation_of(prefix.path() / "bin" / "huddle");
  CHECK(found.command == prefix.path() / "bin" / "huddle");
  CHECK(found.modules == modules);
}

TEST_CASE("a command in a build tree finds its modules in lib") {
  const TemporaryDirectory tree;
  std::filesystem::create_directories(tree.path() / "lib");
  std::ofstream(tree.path() / "lib" / "libhuddle_recorder.so") << "";
  CHECK(installation_of(tree.path() / "bin" / "huddle").modules == tree.path() / "lib");
}

TEST_CASE("a command without modules beside it, and any other program, has the configured ones") {
  const TemporaryDirectory empty;
  const auto configured = installation();
  CHECK(configured.command.is_absolute());
  CHECK(configured.command.filename() == "huddle");
  CHECK(installation_of(empty.path() / "bin" / "huddle").modules == configured.modules);
  std::filesystem::create_directories(empty.path() / "lib");
  std::ofstream(empty.path() / "lib" / "libhuddle_recorder.so") << "";
  CHECK(installation_of(empty.path() / "bin" / "sbatch").modules == configured.modules);
}
