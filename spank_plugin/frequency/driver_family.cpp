#include "spank_plugin/frequency/driver_family.hpp"

#include <algorithm>
#include <array>

namespace huddle::frequency {
namespace {

bool among(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// If no step is between the limits the kernel moves the upper one up to one
// (cpufreq_frequency_table_verify). A site's upper limit must hold: the step below is taken then.
// What the hardware can do may lie above the table, by boost.
ClockLimits onto_steps(const ClockLimits& limits, const CpufreqPolicy& policy) {
  const std::vector<std::uint32_t>& steps = policy.steps_khz;
  const auto above = std::upper_bound(steps.begin(), steps.end(), limits.most_khz);
  std::uint32_t most = above == steps.begin() ? *above : *(above - 1);
  if (limits.most_khz == policy.hardware.most_khz) most = limits.most_khz;
  const auto least = std::lower_bound(steps.begin(), steps.end(), limits.least_khz);
  return {least == steps.end() ? most : std::min(*least, most), most};
}

// A whole range is asked for, and the governor would hold the clock at its lower end, whatever the
// load: the first of these that adapts to it.
void let_adapt(const CpufreqPolicy& untouched, ControlValues& values) {
  constexpr std::array<std::string_view, 3> kAdapting = {"schedutil", "ondemand", "conservative"};
  if (untouched.value(Control::kGovernor) != "powersave") return;
  for (const std::string_view governor : kAdapting)
    if (among(untouched.governors, governor)) {
      values[Control::kGovernor] = governor;
      return;
    }
}

// The same for a processor that chooses by itself: "power" keeps it close to the lower end.
void prefer_balance(const CpufreqPolicy& untouched, ControlValues& values) {
  constexpr std::string_view kBalance = "balance_performance";
  if (untouched.value(Control::kGovernor) == "powersave" &&
      untouched.value(Control::kPreference) == "power" && among(untouched.preferences, kBalance))
    values[Control::kPreference] = kBalance;
}

}  // namespace

DriverFamily family_of(const CpufreqPolicy& policy) {
  if (chooses_itself(policy.driver)) return DriverFamily::kAutonomous;
  return policy.steps_khz.empty() ? DriverFamily::kGoverned : DriverFamily::kGovernedSteps;
}

ControlValues values_for(const CpufreqPolicy& untouched, const ClockLimits& limits) {
  ClockLimits fitting = moved_into(limits, untouched.hardware);
  ControlValues values;
  switch (family_of(untouched)) {
    case DriverFamily::kGovernedSteps:
      fitting = onto_steps(fitting, untouched);
      [[fallthrough]];
    case DriverFamily::kGoverned:
      if (fitting.least_khz < fitting.most_khz) let_adapt(untouched, values);
      break;
    case DriverFamily::kAutonomous:
      if (fitting.least_khz < fitting.most_khz) prefer_balance(untouched, values);
      break;
  }
  values[Control::kLeast] = std::to_string(fitting.least_khz);
  values[Control::kMost] = std::to_string(fitting.most_khz);
  return values;
}

std::vector<std::pair<Control, std::string>> writes_for(const ControlValues& now,
                                                        const ControlValues& wanted) {
  std::vector<std::pair<Control, std::string>> writes;
  const auto add = [&](Control control) {
    const auto value = wanted.find(control);
    if (value == wanted.end()) return;
    const auto current = now.find(control);
    if (current == now.end() || current->second != value->second)
      writes.emplace_back(control, value->second);
  };
  add(Control::kGovernor);
  add(Control::kPreference);
  const auto least = wanted.find(Control::kLeast);
  const bool least_fits =
      least == wanted.end() || parse_khz(least->second).value_or(0) <= limits_in(now).most_khz;
  add(least_fits ? Control::kLeast : Control::kMost);
  add(least_fits ? Control::kMost : Control::kLeast);
  return writes;
}

}  // namespace huddle::frequency
