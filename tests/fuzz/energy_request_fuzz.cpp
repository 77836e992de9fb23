#include "profiles/energyd/protocol/energy_answer.hpp"
#include "tests/fuzz/fuzz_input.hpp"

/// Any packet is a request that survives being written, or none; and any text is an answer that
/// does, or an Error. What was written fits into a packet.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  if (const auto request = energyd::parse_energy_request(as_text(data, size)))
    demand(energyd::parse_energy_request(text_of(*request)) == request);
  const auto answer = parsed([&] { return energyd::parse_energy_answer(as_text(data, size)); });
  if (!answer) return 0;
  const std::string text = text_of(*answer);
  demand(text.size() <= energyd::kMostAnswerBytes);
  const energyd::EnergyAnswer again = energyd::parse_energy_answer(text);
  demand(text_of(again) == text);
  return 0;
}
