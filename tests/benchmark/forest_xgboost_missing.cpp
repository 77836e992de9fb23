// In place of forest_xgboost.cpp where XGBoost is not installed.

#include "profiles/vocabulary/error.hpp"
#include "tests/benchmark/forest_task.hpp"

namespace huddle {

const bool kHaveXgboost = false;

ForestRun run_xgboost(const ForestTask& /*task*/, const char* /*tree_method*/) {
  throw Error("built without XGBoost; install libxgboost-dev and configure again");
}

}  // namespace huddle
