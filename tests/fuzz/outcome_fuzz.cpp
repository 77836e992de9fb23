#include "profiles/formats/outcome/outcome.hpp"

#include "tests/fuzz/fuzz_input.hpp"

/// Any bytes are a record that survives its text, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  const auto outcome = parsed([&] { return parse_outcome(as_text(data, size), "fuzz"); });
  if (!outcome) return 0;
  demand(outcome->ranks > 0);
  demand(!outcome->end || outcome->run);
  const std::string text = to_json(*outcome);
  demand(text.find('\n') == text.size() - 1);
  demand(to_json(parse_outcome(text, "again")) == text);
  return 0;
}
