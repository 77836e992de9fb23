#include "profiles/formats/plan/decision.hpp"

#include "tests/fuzz/fuzz_input.hpp"

/// Any bytes are a decision that survives its text, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  const auto decision = parsed([&] { return parse_decision(as_text(data, size), "fuzz"); });
  if (!decision) return 0;
  if (decision->action == Decision::Action::kApply)
    demand(decision->nodes > 0 && decision->ranks_per_node > 0);
  if (decision->frequency)
    demand(decision->frequency->min > 0 && decision->frequency->max >= decision->frequency->min);
  if (decision->energy_saving) demand(*decision->energy_saving <= 1);
  const std::string text = to_json(*decision);
  demand(to_json(parse_decision(text, "again")) == text);
  return 0;
}
