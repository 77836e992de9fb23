// In place of forest_dlib.cpp where dlib is not installed.

#include "profiles/vocabulary/error.hpp"
#include "tests/benchmark/forest_task.hpp"

namespace huddle {

const bool kHaveDlib = false;

ForestRun run_dlib(const ForestTask& /*task*/) {
  throw Error("built without dlib; install libdlib-dev and configure again");
}

}  // namespace huddle
