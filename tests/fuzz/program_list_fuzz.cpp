#include "spank_plugin/launch/program_list.hpp"
#include "tests/fuzz/fuzz_input.hpp"

/// Any text is a list of programs, each of which has a name, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  const auto commands = parsed([&] { return launch::commands_in_list(as_text(data, size)); });
  if (!commands) return 0;
  demand(!commands->empty());
  for (const std::vector<std::string>& command : *commands) demand(!command.empty());
  return 0;
}
