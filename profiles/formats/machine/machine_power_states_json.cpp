#include "profiles/formats/machine/machine_power_states_json.hpp"

#include <algorithm>
#include <string_view>

#include "profiles/formats/machine/machine_fields.hpp"

namespace huddle {
namespace {

using nlohmann::ordered_json;

// Beyond these a figure is a mistake in its unit, and sums of many waits would leave their range.
constexpr double kMostWatts = 1e5;
constexpr double kMostJoules = 1e6;
constexpr double kMostSeconds = 1e5;

double read_up_to(const Field& field, double most, std::string_view expected) {
  const double value = field.non_negative();
  if (value > most) field.fail(expected);
  return value;
}

double read_watts(const Field& field) {
  return read_up_to(field, kMostWatts, "the watts of a core, 0 to 1e5");
}

PowerState read_state(const Field& entry, bool first) {
  PowerState state;
  state.name = entry.at("name").text();
  if (state.name.empty()) entry.at("name").fail("a name such as \"1900 MHz\"");
  state.active_w = read_watts(entry.at("active_w"));
  if (state.active_w == 0) entry.at("active_w").fail("a number above 0");
  state.idle_w = read_watts(entry.at("idle_w"));
  if (state.idle_w > state.active_w) entry.at("idle_w").fail("no more than \"active_w\"");
  const auto of_transition = [&](std::string_view name, double most, std::string_view expected) {
    if (!entry.has(name)) return 0.0;
    const double value = read_up_to(entry.at(name), most, expected);
    if (first && value > 0) entry.at(name).fail("0, since programs run in the first state");
    return value;
  };
  state.transition_s = of_transition("transition_s", kMostSeconds, "seconds from 0 to 1e5");
  state.transition_j = of_transition("transition_j", kMostJoules, "joules from 0 to 1e6");
  if (entry.has("frequency_hz")) state.frequency_hz = read_positive(entry.at("frequency_hz"));
  return state;
}

}  // namespace

CorePowerStates read_power_states(const Field& field) {
  CorePowerStates power_states;
  const Field states = field.at("states");
  const std::size_t count = states.array_size();
  if (count == 0 || count > CorePowerStates::kMost)
    states.fail("an array of 1 to 64 power states, the one that programs run in first");
  for (std::size_t i = 0; i < count; ++i) {
    const Field entry = states.element(i);
    PowerState state = read_state(entry, i == 0);
    const auto same_name = [&](const PowerState& other) { return other.name == state.name; };
    if (std::any_of(power_states.states.begin(), power_states.states.end(), same_name))
      entry.at("name").fail("a name that no state before it has");
    power_states.states.push_back(std::move(state));
  }
  power_states.origin = read_origin(field.at("origin"));
  if (field.has("source")) power_states.source = field.at("source").text();
  return power_states;
}

ordered_json encoded(const CorePowerStates& power_states) {
  ordered_json object;
  object["states"] = ordered_json::array();
  for (const PowerState& state : power_states.states) {
    ordered_json entry = {{"name", utf8(state.name)},
                          {"active_w", state.active_w},
                          {"idle_w", state.idle_w},
                          {"transition_s", state.transition_s},
                          {"transition_j", state.transition_j}};
    if (state.frequency_hz > 0) entry["frequency_hz"] = state.frequency_hz;
    object["states"].push_back(std::move(entry));
  }
  object["origin"] = name_of(power_states.origin);
  if (!power_states.source.empty()) object["source"] = utf8(power_states.source);
  return object;
}

}  // namespace huddle
