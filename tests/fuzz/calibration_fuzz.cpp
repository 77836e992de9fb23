#include "profiles/formats/machine/calibration_results.hpp"

#include "tests/fuzz/fuzz_input.hpp"

/// Any bytes are results whose times are above 0 and which can be put together with themselves, or
/// an Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  const auto results = parsed([&] { return parse_calibration(as_text(data, size), "fuzz"); });
  if (!results) return 0;
  for (const MessageTimes& entry : results->messages)
    for (const TimeOfSize& time : entry.times) demand(time.time.value > 0);
  CalibrationResults twice = *results;
  twice.merge(*results);
  demand(twice.messages == results->messages);
  demand(twice.collectives == results->collectives);
  demand(twice.memory_streams == results->memory_streams);
  return 0;
}
