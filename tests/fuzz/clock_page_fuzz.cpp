#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <vector>

#include "profiles/keeper/protocol/clock_page.hpp"
#include "spank_plugin/keeper/clock_request_arbiter.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

constexpr std::uint32_t kClocks = 3;
const std::vector<std::uint32_t> kSteps = {900'000, 1'200'000, 1'800'000, 2'700'000};
constexpr std::uint32_t kLeast = 1'000'000;
constexpr std::uint32_t kMost = 2'400'000;

struct Memory {
  alignas(huddle::keeper::kCacheLine) std::array<std::uint8_t, 3 * 64 + kClocks * 64> bytes{};
};

}  // namespace

/// Two ranks write any bytes over all of their pages, one after the other; the first 8 bytes are
/// the time. Whatever is in the pages, the keeper touches nothing outside of them, and each limit
/// is within the envelope, and a step or its most.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  keeper::MonotonicNs now = 0;
  if (size < sizeof now) return 0;
  std::memcpy(&now, data, sizeof now);
  now >>= 2U;  // not hostile: it is the keeper's own, and far from its end
  data += sizeof now;
  size -= sizeof now;
  std::array<Memory, 2> memory;
  demand(keeper::ClockPageView::size_for(kClocks) == sizeof memory[0].bytes);
  const frequency::ClockLimits envelope{kLeast, kMost};
  keeper::ClockRequestArbiter arbiter(
      {{envelope, kSteps}, {envelope, {}}, {{kMost, kMost}, kSteps}}, std::chrono::milliseconds(1));
  for (std::size_t clock = 0; clock < kClocks; ++clock)
    for (std::size_t rank = 0; rank < memory.size(); ++rank) arbiter.join(clock, rank);
  for (std::size_t turn = 0; size > 0; ++turn) {
    Memory& own = memory[turn % memory.size()];
    const std::size_t part = std::min(size, own.bytes.size());
    std::memcpy(own.bytes.data(), data, part);
    data += part;
    size -= part;
    const keeper::ClockPageView page(own.bytes.data(), kClocks);
    page.say_answered(page.begin_to_look());
    for (std::size_t clock = 0; clock < kClocks; ++clock) {
      const keeper::ClockAsk ask = page.ask_for(clock);
      arbiter.ask(clock, turn % memory.size(), ask);
      const keeper::ClockRequestArbiter::Decision decision = arbiter.decide(clock, now);
      demand(decision.khz <= kMost && decision.khz >= (clock == 2 ? kMost : kLeast));
      demand(decision.khz == kMost || clock == 1 ||
             std::find(kSteps.begin(), kSteps.end(), decision.khz) != kSteps.end());
      demand(decision.again_ns > now);
      arbiter.note_written(clock, decision.khz, now);
      const keeper::ClockVerdict verdict = arbiter.verdict(clock, ask, decision.khz, now);
      demand(verdict != keeper::ClockVerdict::kAsAsked || ask.khz == decision.khz);
      page.answer(clock, {decision.khz, 0, now, verdict});
      demand(page.ask_for(clock) == ask);  // an answer changes no ask
    }
    now += 300'000;
  }
  return 0;
}
