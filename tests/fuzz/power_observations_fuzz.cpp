#include "profiles/formats/observations/power_observations.hpp"

#include "tests/fuzz/fuzz_input.hpp"

/// Any bytes are observations that survive their text, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  const auto read = parsed([&] { return parse_power_observations(as_text(data, size), "fuzz"); });
  if (!read) return 0;
  demand(read->whole.cores > 0);
  for (const auto& [key, sum] : read->sums) {
    demand(key.group < PowerObservations::kGroups);
    demand(key.occupation.cores <= read->whole.cores);
    demand(sum.time > Seconds{0});
  }
  const std::string text = to_json(*read);
  demand(to_json(parse_power_observations(text, "again")) == text);
  return 0;
}
