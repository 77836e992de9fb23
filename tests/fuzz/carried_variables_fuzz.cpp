#include "spank_plugin/submission/carried_variables.hpp"

#include <algorithm>

#include "spank_plugin/submission/decided_variables.hpp"
#include "tests/fuzz/fuzz_input.hpp"

/// Any bytes carry variables of a decision alone, with values that are parts of them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  std::size_t carried = 0;
  for (const auto& [name, value] : submission::carried_variables(as_text(data, size))) {
    demand(std::any_of(submission::kDecidedVariables.begin(), submission::kDecidedVariables.end(),
                       [&, &name = name](const char* known) { return name == known; }));
    carried += name.size() + value.size();
  }
  demand(carried <= size);
  return 0;
}
