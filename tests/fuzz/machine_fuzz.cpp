#include "profiles/formats/machine/machine.hpp"

#include "tests/fuzz/fuzz_input.hpp"

namespace {

using huddle::demand;
using huddle::TimeOfSize;

// Times that can be interpolated: some, all above 0, sizes ascending.
void demand_usable(const std::vector<TimeOfSize>& times) {
  demand(!times.empty());
  for (std::size_t i = 0; i < times.size(); ++i) {
    demand(times[i].time.value > 0);
    demand(i == 0 || times[i - 1].bytes < times[i].bytes);
  }
}

// Frequencies that can be chosen from, and power that can be interpolated between them.
void demand_usable(const huddle::Frequencies& frequencies) {
  demand(!frequencies.settable.empty() && frequencies.settable.front().value > 0);
  for (std::size_t i = 1; i < frequencies.settable.size(); ++i)
    demand(frequencies.settable[i - 1] < frequencies.settable[i]);
  for (std::size_t i = 0; i < frequencies.power.size(); ++i) {
    const huddle::PowerPoint& point = frequencies.power[i];
    demand(point.frequency != frequencies.nominal && point.core.value >= 0);
    demand(i == 0 || frequencies.power[i - 1].frequency < point.frequency);
  }
}

// Power states that waiting can be reckoned with.
void demand_usable(const huddle::CorePowerStates& power) {
  demand(!power.states.empty() && power.states.size() <= huddle::CorePowerStates::kMost);
  demand(power.states[0].transition_s <= 0 && power.states[0].transition_j <= 0);
  for (const huddle::PowerState& state : power.states)
    demand(state.active_w > 0 && state.idle_w >= 0 && state.idle_w <= state.active_w &&
           state.transition_s >= 0 && state.transition_j >= 0 && state.frequency_hz >= 0);
}

}  // namespace

/// Any bytes are a machine whose links and tables take time and which survives its text, or an
/// Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  const auto machine = parsed([&] { return parse_machine(as_text(data, size), "fuzz"); });
  if (!machine) return 0;
  for (const LinkTime& link : machine->links)
    demand(link.latency.value > 0 && link.bandwidth.value > 0);
  for (const MessageTimes& entry : machine->messages) demand_usable(entry.times);
  for (const CollectiveTimes& entry : machine->collectives) demand_usable(entry.times);
  for (const MemoryStream& stream : machine->memory_streams) demand(stream.bandwidth.value > 0);
  if (machine->frequencies) demand_usable(*machine->frequencies);
  if (machine->power_states) demand_usable(*machine->power_states);
  const std::string text = to_json(*machine);
  demand(to_json(parse_machine(text, "again")) == text);
  return 0;
}
