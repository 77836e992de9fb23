#include "spank_plugin/frequency/cpufreq_policy.hpp"

#include <algorithm>
#include <sstream>

#include "profiles/vocabulary/error.hpp"

namespace huddle::frequency {
namespace {

std::vector<std::string> words_of(const std::optional<std::string>& line) {
  std::istringstream stream(line.value_or(""));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::uint32_t khz_in(const CpufreqFiles& files, std::uint32_t number, const char* file) {
  return parse_khz(files.read(number, file).value_or("")).value_or(0);
}

// affected_cpus parts its numbers by spaces, other files of sysfs by commas.
PuSet set_of(const std::vector<std::string>& words) {
  PuSet pus;
  for (const std::string& word : words) {
    const PuSet part = PuSet::parse(word);
    for (const std::uint32_t pu : part.members()) pus.add(pu);
  }
  return pus;
}

}  // namespace

bool chooses_itself(std::string_view driver) {
  return driver == "intel_pstate" || driver == "amd-pstate-epp" || driver == "amd_pstate_epp";
}

const char* file_of(Control control) {
  switch (control) {
    case Control::kGovernor:
      return "scaling_governor";
    case Control::kPreference:
      return "energy_performance_preference";
    case Control::kLeast:
      return "scaling_min_freq";
    case Control::kMost:
      break;
  }
  return "scaling_max_freq";
}

std::optional<Control> control_of(std::string_view file) {
  for (const Control control : kControls)
    if (file == file_of(control)) return control;
  return std::nullopt;
}

bool plausible(Control control, std::string_view value) {
  if (control == Control::kLeast || control == Control::kMost) return parse_khz(value).has_value();
  constexpr std::size_t kLongestWord = 32;
  return !value.empty() && value.size() <= kLongestWord &&
         std::all_of(value.begin(), value.end(), [](char letter) {
           return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') ||
                  letter == '_';
         });
}

std::string CpufreqPolicy::value(Control control) const {
  const auto found = values.find(control);
  return found == values.end() ? std::string() : found->second;
}

ClockLimits limits_in(const ControlValues& values) {
  const auto khz = [&](Control control) {
    const auto value = values.find(control);
    return value == values.end() ? 0 : parse_khz(value->second).value_or(0);
  };
  return {khz(Control::kLeast), khz(Control::kMost)};
}

std::optional<std::string> read_control(const CpufreqFiles& files, std::uint32_t number,
                                        Control control) {
  auto value = files.read(number, file_of(control));
  if (value && !plausible(control, *value)) return std::nullopt;
  return value;
}

std::map<std::uint32_t, PuSet> pus_by_policy(const CpufreqFiles& files) {
  std::map<std::uint32_t, PuSet> by_policy;
  for (const std::uint32_t number : files.policies()) {
    try {
      PuSet pus = set_of(words_of(files.read(number, "affected_cpus")));
      if (!pus.empty()) by_policy.emplace(number, std::move(pus));
    } catch (const Error&) {  // not a list
    }
  }
  return by_policy;
}

std::string driver_of(const CpufreqFiles& files, std::uint32_t number) {
  return files.read(number, "scaling_driver").value_or("");
}

std::optional<CpufreqPolicy> read_policy(const CpufreqFiles& files, std::uint32_t number,
                                         const PuSet& pus, const std::string& driver) {
  CpufreqPolicy policy;
  policy.number = number;
  policy.pus = pus;
  policy.driver = driver;
  policy.hardware = {khz_in(files, number, "cpuinfo_min_freq"),
                     khz_in(files, number, "cpuinfo_max_freq")};
  if (!chooses_itself(policy.driver))
    for (const std::string& step : words_of(files.read(number, "scaling_available_frequencies")))
      if (const auto khz = parse_khz(step)) policy.steps_khz.push_back(*khz);
  std::sort(policy.steps_khz.begin(), policy.steps_khz.end());
  for (const Control control : kControls) {
    if (control == Control::kPreference && !chooses_itself(policy.driver)) continue;
    if (auto value = read_control(files, number, control))
      policy.values.emplace(control, std::move(*value));
  }
  if (policy.value(Control::kGovernor) == "powersave") {
    policy.governors = words_of(files.read(number, "scaling_available_governors"));
    policy.preferences = words_of(files.read(number, "energy_performance_available_preferences"));
  }
  const ClockLimits now = policy.limits();
  if (now.least_khz == 0 || now.most_khz == 0 || policy.hardware.least_khz == 0 ||
      policy.hardware.most_khz < policy.hardware.least_khz)
    return std::nullopt;
  return policy;
}

}  // namespace huddle::frequency
