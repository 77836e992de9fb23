#include "spank_plugin/plugin/decided_variables.hpp"

#include <cstdlib>
#include <string>

#include "profiles/vocabulary/job_environment.hpp"
#include "profiles/vocabulary/preload_list.hpp"
#include "profiles/vocabulary/recorder_libraries.hpp"

namespace huddle {

// NOLINTBEGIN(concurrency-mt-unsafe)

void forget_what_was_decided() {
  // The recorder's own variables may also be the user's, who runs it by hand.
  ::unsetenv(kFrequencyVariable);
  if (std::getenv(kPlanVariable) == nullptr && std::getenv(kRecorderVariable) == nullptr &&
      std::getenv(kOutcomeVariable) == nullptr)
    return;
  for (const char* library_variable : {kRecorderVariable, kMpirunHelperVariable}) {
    const char* library = std::getenv(library_variable);
    const char* preloaded = std::getenv("LD_PRELOAD");
    if (library == nullptr || preloaded == nullptr) continue;
    const std::string rest = library_variable == kRecorderVariable
                                 ? preload_without_recorders(preloaded, library)
                                 : preload_without(preloaded, library);
    if (rest.empty())
      ::unsetenv("LD_PRELOAD");
    else
      ::setenv("LD_PRELOAD", rest.c_str(), 1);
  }
  for (const char* name : {kPlanVariable, kStepPlanVariable, kRecorderVariable, kStoreVariable,
                           kLabelVariable, kSizeVariable, kStoreCreateVariable, kMoveRanksVariable,
                           kTraceVariable, kMpirunHelperVariable, kMpirunRankfileVariable,
                           kMpirunRanksVariable, kOutcomeVariable, kOutcomeStoreVariable})
    ::unsetenv(name);
}

// NOLINTEND(concurrency-mt-unsafe)

}  // namespace huddle
