#include "profiles/formats/machine.hpp"

#include "tests/fuzz/fuzz_input.hpp"

/// Any bytes are a machine whose links take time and which survives its text, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  const auto machine = parsed([&] { return parse_machine(as_text(data, size), "fuzz"); });
  if (!machine) return 0;
  for (const LinkTime& link : machine->links)
    demand(link.latency.value > 0 && link.bandwidth.value > 0);
  const std::string text = to_json(*machine);
  demand(to_json(parse_machine(text, "again")) == text);
  return 0;
}
