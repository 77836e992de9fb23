#include "profiles/vocabulary/pu_set.hpp"

#include "tests/fuzz/fuzz_input.hpp"

/// Any text is a set of PUs that survives its list form, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  const auto set = parsed([&] { return PuSet::parse(as_text(data, size)); });
  if (!set) return 0;
  for (std::size_t i = 1; i < set->size(); ++i) demand(set->members()[i - 1] < set->members()[i]);
  demand(set->empty() || set->members().back() < PuSet::kLimit);
  demand(PuSet::parse(set->list()) == *set);
  return 0;
}
