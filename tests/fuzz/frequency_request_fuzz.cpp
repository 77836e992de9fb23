#include "spank_plugin/frequency/frequency_request.hpp"

#include "tests/fuzz/fuzz_input.hpp"

/// Any text is a list of requests that survives its own form, or an Error; and a node gets nothing
/// beyond its cores.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  const auto requests =
      parsed([&] { return frequency::parse_frequency_requests(as_text(data, size)); });
  if (!requests) return 0;
  demand(!requests->empty());
  demand(frequency::parse_frequency_requests(text_of(*requests)) == *requests);
  PuSet core;
  core.add(0);
  core.add(8);
  for (const auto& [pu, limits] : frequency::requests_on_node(*requests, {0, 1, 7}, {core}))
    demand(core.contains(pu) && limits.least_khz <= limits.most_khz &&
           limits.most_khz <= frequency::ClockLimits::kMostKhz);
  return 0;
}
