#include "profiles/files/folder_names.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::files {
namespace {

TEST_CASE("a folder's names are those of files and folders, hidden ones too") {
  const store::TemporaryDirectory directory;
  store::put_file(directory.path() / "file", "");
  store::put_file(directory.path() / ".hidden", "");
  std::filesystem::create_directory(directory.path() / "folder");
  std::vector<std::string> names = names_in(directory.path());
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{".hidden", "file", "folder"});
}

TEST_CASE("what is no folder has no names") {
  const store::TemporaryDirectory directory;
  store::put_file(directory.path() / "file", "");
  CHECK(names_in(directory.path() / "file").empty());
  CHECK(names_in(directory.path() / "missing").empty());
}

}  // namespace
}  // namespace huddle::files
