#include "profiles/recorder/process/root_marker.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "profiles/vocabulary/error.hpp"

using namespace huddle;
using namespace huddle::recorder;

namespace {

struct MarkerFolder {
  MarkerFolder() {
    std::string text = (std::filesystem::temp_directory_path() / "huddle-test-XXXXXX").string();
    REQUIRE(mkdtemp(text.data()) != nullptr);
    path = text;
  }
  ~MarkerFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  [[nodiscard]] std::filesystem::path only_file() const {
    return *std::filesystem::directory_iterator(path);
  }
  std::filesystem::path path;
};

const RootMarker::Time kNow = std::chrono::system_clock::now();

}  // namespace

TEST_CASE("rank 0 is visible to its own run from show to withdraw") {
  const MarkerFolder folder;
  RootMarker root(folder.path / "a.json", "run 1");
  const RootMarker other(folder.path / "b.json", "run 1");
  CHECK(!other.visible());
  root.make();
  CHECK(root.made());
  CHECK(other.visible());
  CHECK(!RootMarker(folder.path / "a.json", "run 2").visible());
  root.withdraw();
  CHECK(!root.made());
  CHECK(!other.visible());
  CHECK(std::filesystem::is_empty(folder.path));
}

TEST_CASE("what a dead run left behind is not believed, and gives way to a living one") {
  const MarkerFolder folder;
  const auto before = kNow - RootMarker::kLongestStart - std::chrono::seconds(2);
  RootMarker dead(folder.path / "a.json", "run");
  dead.make(before);
  RootMarker living(folder.path / "a.json", "run");
  CHECK(living.visible(before));
  CHECK(!living.visible(kNow));
  living.make(kNow);
  CHECK(living.visible(kNow));
}

TEST_CASE("a file that says anything else is no sign of rank 0") {
  const MarkerFolder folder;
  RootMarker root(folder.path / "a.json", "run");
  root.make();
  const auto file = folder.only_file();
  for (const char* text : {"", "run", "run\n", "run\nsoon\n", "run\n12", "other\n12\n"}) {
    std::ofstream(file) << text;
    CHECK(!root.visible(RootMarker::Time(std::chrono::seconds(12))));
  }
  std::ofstream(file) << "run\n12\n";
  CHECK(root.visible(RootMarker::Time(std::chrono::seconds(12))));
}

TEST_CASE("a child process does not take its parent's sign away") {
  const MarkerFolder folder;
  RootMarker root(folder.path / "a.json", "run");
  root.make();
  const pid_t child = fork();
  if (child == 0) {
    root.withdraw();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  CHECK(root.visible());
}

TEST_CASE("a sign that can't be made says beside what") {
  const MarkerFolder folder;
  RootMarker root(folder.path / "missing" / "a.json", "run");
  CHECK_THROWS_WITH_AS(root.make(), doctest::Contains((folder.path / "missing" / "a.json").c_str()),
                       SystemError);
  CHECK(!root.made());
}
