#include "profiles/formats/plan/plan_request.hpp"

#include <cmath>

#include "tests/fuzz/fuzz_input.hpp"

/// Any bytes are a request within its bounds that survives its text, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  const auto request = parsed([&] { return parse_plan_request(as_text(data, size), "fuzz"); });
  if (!request) return 0;
  demand(request->ranks > 0 && request->nodes.value_or(1) > 0 && request->cores_per_rank > 0);
  demand(request->slowdown >= 0 && request->slowdown <= 1 && request->least_nodes > 0);
  demand(request->label.size() <= kLongestRequestText && !request->store.empty());
  demand(request->samples == 1 || request->samples == 2);
  if (request->size) demand(*request->size > 0 && std::isfinite(*request->size));
  if (request->frequencies) demand(!request->frequencies->empty());
  const std::string text = to_json(*request);
  demand(to_json(parse_plan_request(text, "again")) == text);
  return 0;
}
