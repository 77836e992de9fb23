#include "profiles/processes/planner_process.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::processes {
namespace {

namespace fs = std::filesystem;

TEST_CASE("the planner finds Slurm's commands beside the program that asks, before the system's") {
  const store::TemporaryDirectory directory;
  const fs::path planner = directory.path() / "planner";
  store::put_file(planner, "#!/bin/sh\necho \"$PATH\"\n");
  fs::permissions(planner, fs::perms::owner_all);
  const std::string path = output_of_planner(planner, {}, "", std::chrono::seconds(20));
  const std::string own = fs::read_symlink("/proc/self/exe").parent_path().string();
  CHECK(path == own + ":/usr/local/bin:/usr/bin:/bin\n");
}

}  // namespace
}  // namespace huddle::processes
