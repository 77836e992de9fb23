#include "profiles/energyd/steps/step_notice.hpp"
#include "tests/fuzz/fuzz_input.hpp"

/// Any text is an announcement that survives being written, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  const auto notice =
      parsed([&] { return energyd::parse_step_notice(as_text(data, size), "notice"); });
  if (notice) demand(energyd::parse_step_notice(text_of(*notice), "notice") == *notice);
  return 0;
}
