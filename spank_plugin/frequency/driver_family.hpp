#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "spank_plugin/frequency/clock_limits.hpp"
#include "spank_plugin/frequency/cpufreq_policy.hpp"

namespace huddle::frequency {

/// The way in which the clock of a policy is driven, as far as it matters for limits. After the
/// kernel's documents admin-guide/pm/cpufreq, intel_pstate and amd-pstate; see decision 0017.
enum class DriverFamily : std::uint8_t {
  /// The kernel's governors choose among a table of steps: acpi-cpufreq, and others with
  /// scaling_available_frequencies.
  kGovernedSteps,
  /// The kernel's governors choose any frequency: intel_cpufreq (intel_pstate, passive), amd-pstate
  /// (passive), cppc_cpufreq.
  kGoverned,
  /// The driver or the processor chooses, led by an energy preference; "powersave" and
  /// "performance" are its own algorithms and not the governors of these names: intel_pstate
  /// (active), amd-pstate-epp (active).
  kAutonomous,
};

DriverFamily family_of(const CpufreqPolicy& policy);

/// The values that give a policy these limits. `untouched` is the policy as it was before Huddle
/// wrote to it. Limits are moved into what the hardware can do, and with steps onto them: never
/// above the upper limit, unless the lowest step is. Every governor stays between the limits,
/// also "performance", "powersave" and "userspace", so that it is left alone but where it would
/// hold a whole range at its lower end: the kernel's "powersave", and the preference "power".
ControlValues values_for(const CpufreqPolicy& untouched, const ClockLimits& limits);

/// `wanted` without what holds already, in the order in which the kernel takes all of it: it
/// refuses a lower limit above the upper one, also for a moment.
std::vector<std::pair<Control, std::string>> writes_for(const ControlValues& now,
                                                        const ControlValues& wanted);

}  // namespace huddle::frequency
