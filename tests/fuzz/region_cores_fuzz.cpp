#include "profiles/throttling/region_cores.hpp"
#include "tests/fuzz/fuzz_input.hpp"

/// Any text is what is chosen for teams, and survives its own text, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  constexpr std::uint32_t kRanks = 100000;
  const auto chosen = parsed([&] { return throttling::parse_teams(as_text(data, size), kRanks); });
  if (!chosen) return 0;
  demand(chosen->bound >= 0 && chosen->bound <= 1);
  for (const throttling::TeamsOfRanks& part : chosen->teams) {
    demand(!part.ranks.empty() && !(part.choices.empty() && part.clocks.empty()));
    for (const throttling::GroupClock& clock : part.clocks)
      demand(clock.group != 0 && clock.khz != 0);
    for (const throttling::RegionCores& choice : part.choices)
      demand((choice.context == 0 || (part.anchor != 0 && choice.group == 0)) &&
             choice.region != 0 && choice.packages >= 1 && choice.packages <= choice.cores);
  }
  demand(throttling::parse_teams(text_of(*chosen), kRanks) == *chosen);
  return 0;
}
