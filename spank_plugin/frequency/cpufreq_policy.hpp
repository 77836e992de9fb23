#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/pu_set.hpp"
#include "spank_plugin/frequency/clock_limits.hpp"
#include "spank_plugin/frequency/cpufreq_files.hpp"

namespace huddle::frequency {

/// The files of a policy that Huddle may write to.
enum class Control : std::uint8_t {
  kGovernor,    ///< scaling_governor
  kPreference,  ///< energy_performance_preference
  kLeast,       ///< scaling_min_freq
  kMost,        ///< scaling_max_freq
};

inline constexpr std::array kControls = {Control::kGovernor, Control::kPreference, Control::kLeast,
                                         Control::kMost};

const char* file_of(Control control);
/// The control of that file, or nothing.
std::optional<Control> control_of(std::string_view file);
/// True if the kernel could have such a value there: a frequency, or a short word.
bool plausible(Control control, std::string_view value);

/// Values of some controls of one policy.
using ControlValues = std::map<Control, std::string>;

/// The limits among the values; 0 where one is absent.
ClockLimits limits_in(const ControlValues& values);

/// True if this driver, or the processor, chooses the frequency instead of the kernel's governors:
/// intel_pstate and amd-pstate in active mode.
bool chooses_itself(std::string_view driver);

/// One policy of cpufreq: CPUs with one setting, and what it is now.
struct CpufreqPolicy {
  std::uint32_t number = 0;
  /// Those that are online.
  PuSet pus;
  /// "acpi-cpufreq", "intel_pstate", ...: one for all policies of a machine.
  std::string driver;
  /// cpuinfo_min_freq and cpuinfo_max_freq: what the hardware can do.
  ClockLimits hardware;
  /// scaling_available_frequencies, ascending; empty if the driver has no table.
  std::vector<std::uint32_t> steps_khz;
  /// Those that there are, where it matters: with the governor "powersave" only.
  std::vector<std::string> governors;
  std::vector<std::string> preferences;
  /// Values of the controls; those that the policy lacks are absent.
  ControlValues values;

  /// The value, or "" where the policy lacks the control.
  [[nodiscard]] std::string value(Control control) const;
  /// From the values.
  [[nodiscard]] ClockLimits limits() const { return limits_in(values); }
};

/// The PUs of each policy, by its number; without those that can't be read or have no CPU online.
std::map<std::uint32_t, PuSet> pus_by_policy(const CpufreqFiles& files);

/// The value of a control, or nothing if it can't be read or is none.
std::optional<std::string> read_control(const CpufreqFiles& files, std::uint32_t number,
                                        Control control);

/// The driver of a policy, and so of all of this machine; empty if it can't be read.
std::string driver_of(const CpufreqFiles& files, std::uint32_t number);

/// All of a policy with these PUs and this driver; nothing if it can't be read or shows no limits.
std::optional<CpufreqPolicy> read_policy(const CpufreqFiles& files, std::uint32_t number,
                                         const PuSet& pus, const std::string& driver);

}  // namespace huddle::frequency
