#include "profiles/keeper/protocol/keeper_protocol.hpp"

#include "profiles/keeper/protocol/clock_page.hpp"
#include "tests/fuzz/fuzz_input.hpp"

/// Any packet is a greeting that survives being written, or none; and any text is an answer that
/// does, with clocks that a page has space for, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  if (const auto greeting = keeper::parse_keeper_greeting(as_text(data, size))) {
    demand(!greeting->pus.empty());
    demand(keeper::parse_keeper_greeting(text_of(*greeting)) == greeting);
  }
  const auto reply = parsed([&] { return keeper::parse_keeper_reply(as_text(data, size)); });
  if (!reply) return 0;
  demand(reply->refusal.empty() != reply->clocks.empty());
  demand(reply->clocks.size() <= keeper::kMostClocks);
  for (const keeper::OfferedClock& clock : reply->clocks) {
    demand(!clock.pus.empty() && clock.steps_khz.size() <= keeper::kMostClockSteps);
    demand(clock.least_khz > 0 && clock.least_khz <= clock.most_khz);
  }
  const keeper::KeeperReply again = keeper::parse_keeper_reply(text_of(*reply));
  demand(again.clocks == reply->clocks && text_of(again) == text_of(*reply));
  return 0;
}
