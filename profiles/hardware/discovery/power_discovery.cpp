#include "profiles/hardware/discovery/power_discovery.hpp"

#include <errno.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <system_error>

#include "profiles/files/kernel_text.hpp"
#include "profiles/hardware/power/sensor.hpp"
#include "profiles/hardware/processors/physical_cores.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::hardware {
namespace {

namespace fs = std::filesystem;

PuSet list_in(const fs::path& path) {
  std::string line = files::first_line_of(path);
  // affected_cpus has blanks between numbers.
  std::replace(line.begin(), line.end(), ' ', ',');
  while (line.ends_with(',')) line.pop_back();
  try {
    return PuSet::parse(line);
  } catch (const Error&) {
    return {};
  }
}

std::optional<Hertz> kilohertz_in(const fs::path& path) {
  const std::uint64_t kilohertz = files::whole_number(files::first_line_of(path));
  if (kilohertz == 0) return std::nullopt;
  return Hertz{static_cast<double>(kilohertz) * 1e3};
}

std::optional<Hertz> present_clock(const fs::path& policy) {
  return kilohertz_in(policy / "scaling_cur_freq");
}

ClockGroup clock_group(const fs::path& policy) {
  ClockGroup group;
  group.folder = policy;
  group.pus = list_in(policy / "affected_cpus");
  group.driver = files::first_line_of(policy / "scaling_driver");
  group.governor = files::first_line_of(policy / "scaling_governor");
  group.least = kilohertz_in(policy / "cpuinfo_min_freq");
  group.most = kilohertz_in(policy / "cpuinfo_max_freq");
  group.present = present_clock(policy);
  std::string table = files::first_line_of(policy / "scaling_available_frequencies");
  for (std::size_t at = 0; at < table.size();) {
    const std::size_t end = std::min(table.find(' ', at), table.size());
    if (const std::uint64_t kilohertz =
            files::whole_number(std::string_view(table).substr(at, end - at));
        kilohertz > 0)
      group.settable.push_back({static_cast<double>(kilohertz) * 1e3});
    at = end + 1;
  }
  std::sort(group.settable.begin(), group.settable.end());
  return group;
}

std::vector<ClockGroup> clock_groups(const fs::path& sysfs) {
  const fs::path cpufreq = sysfs / "devices/system/cpu/cpufreq";
  std::vector<ClockGroup> groups;
  for (const std::string& name : files::sorted_names_in(cpufreq))
    if (name.starts_with("policy"))
      if (ClockGroup group = clock_group(cpufreq / name); !group.pus.empty())
        groups.push_back(std::move(group));
  return groups;
}

// The value of the first "key : value" of /proc/cpuinfo.
std::string of_first_processor(const fs::path& cpuinfo, std::string_view key) {
  std::ifstream file(cpuinfo);
  constexpr int kMostLines = 64;
  std::string line;
  for (int i = 0; i < kMostLines && std::getline(file, line); ++i) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t end = line.find_last_not_of(" \t", colon - (colon > 0 ? 1 : 0));
    if (end == std::string::npos || std::string_view(line).substr(0, end + 1) != key) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return {};
}

// Returns ARM's name for the licensee with that code (main ID register, bits 31 to 24).
std::string implementer(const std::string& code) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"0x41", "ARM"},       {"0x42", "Broadcom"},  {"0x43", "Cavium"}, {"0x46", "Fujitsu"},
      {"0x48", "HiSilicon"}, {"0x4e", "NVIDIA"},    {"0x50", "APM"},    {"0x51", "Qualcomm"},
      {"0x61", "Apple"},     {"0x6d", "Microsoft"}, {"0xc0", "Ampere"}};
  for (const auto& [known, name] : kNames)
    if (code == known) return std::string(name);
  return code.empty() ? "" : fmt::format("ARM implementer {}", code);
}

// Where there is no vendor, as on ARM, a "model name" is that of an instruction set.
std::string model_of(const fs::path& root, bool has_vendor) {
  const fs::path cpuinfo = root / "proc/cpuinfo";
  if (has_vendor) return of_first_processor(cpuinfo, "model name");
  // A device tree's text ends with a zero.
  std::string model = files::first_line_of(root / "sys/firmware/devicetree/base/model");
  if (const std::size_t zero = model.find('\0'); zero != std::string::npos) model.resize(zero);
  if (model.empty()) model = of_first_processor(cpuinfo, "Hardware");
  if (model.empty()) model = files::first_line_of(root / "sys/class/dmi/id/product_name");
  for (const char* key : {"cpu", "model name"})
    if (model.empty()) model = of_first_processor(cpuinfo, key);
  return model;
}

// Empty if the text can be a value of the sensor.
std::string why_no_value(const power::Sensor& sensor, std::string_view text) {
  std::uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [behind, failure] = std::from_chars(text.data(), end, count);
  if (failure != std::errc{} || (behind != end && *behind != ' ' && *behind != '\n'))
    return "does not begin with a whole number";
  if (sensor.range != 0 && count > sensor.range)
    return fmt::format("shows {}, more than its own range of {}", count, sensor.range);
  if (sensor.quantity == power::Quantity::kPower &&
      static_cast<double>(count) * sensor.unit > sensor.most_watts)
    return fmt::format("shows {:.0f} W, which can't be", static_cast<double>(count) * sensor.unit);
  // Chips that do not answer are read as all ones.
  if (sensor.quantity == power::Quantity::kPower && count == 0xffffffff) return "shows 0xffffffff";
  return {};
}

FoundSensor with_state(power::Sensor sensor) {
  std::array<char, 64> text{};
  const long size = files::read_kernel_file(sensor.file.c_str(), text.data(), text.size());
  if (size == -EACCES || size == -EPERM) return {std::move(sensor), "only root may read it", true};
  std::string trouble = size < 0
                            ? fmt::format("can't be read: {}",
                                          std::generic_category().message(static_cast<int>(-size)))
                            : why_no_value(sensor, {text.data(), static_cast<std::size_t>(size)});
  return {std::move(sensor), std::move(trouble)};
}

std::string slurms_plugin(const fs::path& root) {
  std::ifstream file(root / "etc/slurm/slurm.conf");
  std::string line;
  while (std::getline(file, line)) {
    constexpr std::string_view kKey = "acctgatherenergytype=";
    const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    std::string key = line.substr(begin, kKey.size());
    for (char& letter : key)
      if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    if (key != kKey) continue;
    const std::size_t value = begin + kKey.size();
    std::string plugin = line.substr(value, line.find_first_of(" \t#", value) - value);
    return plugin.ends_with("/none") ? "" : plugin;
  }
  return {};
}

}  // namespace

std::vector<ClockGroup> clocks_of(const fs::path& root) {
  return clock_groups(root / "sys");
}

void refresh(ClockGroup& clock) {
  clock.present = present_clock(clock.folder);
}

PowerDiscovery discover_power(const fs::path& root) {
  const fs::path sysfs = root / "sys";
  PowerDiscovery found;
  found.vendor = of_first_processor(root / "proc/cpuinfo", "vendor_id");
  found.model = model_of(root, !found.vendor.empty());
  if (found.vendor.empty())
    found.vendor = implementer(of_first_processor(root / "proc/cpuinfo", "CPU implementer"));
  found.pus = list_in(sysfs / "devices/system/cpu/online");
  std::set<std::uint32_t> packages;
  for (const PhysicalCore& core : physical_cores(sysfs)) packages.insert(core.package);
  found.packages = static_cast<std::uint32_t>(packages.size());
  found.clocks = clocks_of(root);
  std::vector<power::Sensor> working;
  for (power::Sensor& sensor : power::find_sensors(sysfs)) {
    found.sensors.push_back(with_state(std::move(sensor)));
    const FoundSensor& one = found.sensors.back();
    if (one.trouble.empty() || one.needs_root) working.push_back(one.sensor);
  }
  found.sum = power::sum_of_node(working);
  found.slurm = slurms_plugin(root);
  return found;
}

}  // namespace huddle::hardware
