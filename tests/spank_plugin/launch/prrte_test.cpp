#include "spank_plugin/launch/launched_command.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "tests/profiles/executables/made_program.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::launch {
namespace {

TEST_CASE("an mpirun that becomes PRRTE's prterun is Open MPI 5's, one that does not is not") {
  const store::TemporaryDirectory folder;
  const std::string path = folder.path().string();
  const std::string mpirun = path + "/mpirun";
  CHECK_FALSE(is_prrte("mpirun", path));
  executables::write_program(mpirun, executables::MadeProgram{}.bytes());
  CHECK_FALSE(is_prrte("mpirun", path));
  executables::write_program(mpirun, executables::MadeProgram{}.bytes() + "/usr/bin/prterun");
  CHECK(is_prrte("mpirun", "/no/such/folder:" + path));
  CHECK(is_prrte(mpirun, ""));
  CHECK_FALSE(is_prrte("mpiexec", path));
}

TEST_CASE("a script of that name is nobody's mpirun, whatever it starts") {
  const store::TemporaryDirectory folder;
  const std::string mpirun = (folder.path() / "mpirun").string();
  executables::write_program(mpirun, "#!/bin/sh\nexec prterun \"$@\"\n");
  CHECK_FALSE(is_prrte(mpirun, ""));
}

}  // namespace
}  // namespace huddle::launch
