#include "spank_plugin/launch/launched_command.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "tests/profiles/executables/made_program.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::launch {
namespace {

namespace fs = std::filesystem;

/// A PATH with some programs.
struct Folder {
  Folder() {
    for (const char* name : {"app", "numactl", "env", "timeout", "python3.11", "bash", "time"})
      executables::write_program(path(name), executables::MadeProgram{}.bytes());
    executables::write_program(path("solve.py"), "#!/usr/bin/env python3\n");
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (fs::canonical(folder.path()) / name).string();
  }
  [[nodiscard]] std::string launched(const std::vector<std::string>& words) const {
    return launched_by(words, folder.path().string()).path;
  }
  store::TemporaryDirectory folder;
};

TEST_CASE("a program is known by its whole path, however it was named") {
  const Folder folder;
  CHECK(folder.launched({"app", "-n", "3"}) == folder.path("app"));
  CHECK(folder.launched({folder.path("app")}) == folder.path("app"));
  fs::create_symlink(folder.path("app"), folder.path("link"));
  CHECK(folder.launched({"link"}) == folder.path("app"));
  CHECK(folder.launched({"./missing"}) == "./missing");
  CHECK(folder.launched({}).empty());
}

TEST_CASE("behind wrappers the program is what they start") {
  const Folder folder;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"numactl", "--interleave=all", "app", "x"},
        {"env", "A=1", "B=2", "app"},
        {"timeout", "60", "app"},
        {"time", "-p", "numactl", "-m", "0", "app"}}) {
    CAPTURE(words.front());
    CHECK(folder.launched(words) == folder.path("app"));
  }
  CHECK(folder.launched({"numactl", "--hardware"}) == folder.path("numactl"));
}

TEST_CASE("of an interpreter it is the script or module, unless its words hold the text") {
  const Folder folder;
  CHECK(folder.launched({"python3.11", folder.path("solve.py"), "4"}) == folder.path("solve.py"));
  CHECK(folder.launched({"python3.11", "-u", "-m", "solver.main"}) == "solver.main");
  CHECK(folder.launched({"env", "python3.11", folder.path("solve.py")}) == folder.path("solve.py"));
  CHECK(folder.launched({"bash", "-c", "app | app"}) == folder.path("bash"));
  CHECK(folder.launched({"bash"}) == folder.path("bash"));
}

TEST_CASE("a program's build id tells it from another one of its name") {
  const auto program = launched_by({"/proc/self/exe"}, "");
  CHECK(program.build_id.size() == 40);
  CHECK(launched_by({"./missing"}, "").build_id.empty());
}

TEST_CASE("a program that is named after its job is the same one in each job") {
  const auto path = [](const std::string& text, std::string_view job) {
    return without_job({text, "12ab"}, job).path;
  };
  CHECK(path("/local/ann.4711/solve", "4711") == "/local/ann.%j/solve");
  CHECK(path("/local/4711/solve-4711.sh", "4711") == "/local/%j/solve-%j.sh");
  CHECK(path("./job4711", "4711") == "./job%j");
  CHECK(path("/local/47110/v4/solve", "4711") == "/local/47110/v4/solve");
  CHECK(path("/local/solve", "4711") == "/local/solve");
  CHECK(path("/local/4711/solve", "") == "/local/4711/solve");
  CHECK(without_job({"/local/1/solve", "1"}, "1").build_id == "1");
}

}  // namespace
}  // namespace huddle::launch
