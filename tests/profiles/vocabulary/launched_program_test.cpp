#include "profiles/vocabulary/launched_program.hpp"

#include <doctest/doctest.h>

namespace huddle {
namespace {

TEST_CASE("a program that was built anew in its place, or copied to another one, is the same") {
  const LaunchedProgram app{"/home/ann/app", "aa"};
  CHECK(same_program(app, {"/home/ann/app", "bb"}));
  CHECK(same_program(app, {"/scratch/app", "aa"}));
  CHECK(same_program(app, {"/scratch/app", ""}));
}

TEST_CASE("another build in another place, another name or an unknown program is not") {
  const LaunchedProgram app{"/home/ann/app", "aa"};
  CHECK_FALSE(same_program(app, {"/scratch/app", "bb"}));
  CHECK_FALSE(same_program(app, {"/home/ann/app2", "aa"}));
  CHECK_FALSE(same_program(app, {}));
  CHECK_FALSE(same_program({}, {}));
}

TEST_CASE("a launched program survives a variable of the environment, whatever its path holds") {
  for (const LaunchedProgram& program :
       {LaunchedProgram{"/a:b/c d", "0f"}, LaunchedProgram{"app", ""}}) {
    CAPTURE(program.path);
    CHECK(launched_program_of(text_of(program)) == program);
  }
  CHECK(launched_program_of("app") == LaunchedProgram{});
  CHECK(launched_program_of("") == LaunchedProgram{});
  CHECK(LaunchedProgram{"/home/ann/app", ""}.name() == "app");
}

}  // namespace
}  // namespace huddle
