#include "spank_plugin/submission/asked/batch_script.hpp"
#include "spank_plugin/submission/asked/script_launches.hpp"
#include "tests/fuzz/fuzz_input.hpp"

/// Any bytes are a script. What keeps a job of unknown numbers from fewer nodes may be its own
/// numbers, repeated; what keeps one whose numbers are known keeps the other, too.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle::submission;
  const std::string_view script = huddle::as_text(data, size);
  const bool kept = script_keeps_nodes(script, {4, 8}).has_value();
  huddle::demand(!kept || script_keeps_nodes(script, {}).has_value());
  if (const auto launches = size_of_launches(script))
    huddle::demand(launches->ranks > 1 && launches->cores_per_rank > 0);
  static_cast<void>(asks_for_several_parts(script));
  static_cast<void>(launched_in_script(script));
  return 0;
}
