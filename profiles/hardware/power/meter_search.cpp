#include "profiles/hardware/power/meter_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "profiles/files/kernel_file.hpp"

namespace huddle::power {
namespace {

namespace fs = std::filesystem;

constexpr Joules kMicrojoule{1e-6};
constexpr Joules kJoule{1};
constexpr double kMostWattsOfPart = 10'000;
constexpr double kMostWattsOfNode = 100'000;

// The first line; empty if it can't be read.
std::string line_of(const fs::path& path) {
  std::array<char, 256> text{};
  const long size = read_kernel_file(path.c_str(), text.data(), text.size());
  if (size <= 0) return {};
  const std::string_view line(text.data(), static_cast<std::size_t>(size));
  return std::string(line.substr(0, line.find('\n')));
}

std::uint64_t number_of(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc{} && end == text.data() + text.size() ? number : 0;
}

// What is in a directory, by name; 2 comes before 10. Nothing if it can't be read.
std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code unreadable;
  fs::directory_iterator entry(directory, unreadable);
  for (const fs::directory_iterator end; !unreadable && entry != end; entry.increment(unreadable))
    names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return names;
}

bool has_name(const std::vector<MeterDescription>& meters, const std::string& name) {
  return std::any_of(meters.begin(), meters.end(),
                     [&](const MeterDescription& meter) { return meter.name == name; });
}

void add_zone(std::vector<MeterDescription>& meters, const fs::path& zone, std::string name) {
  if (name.empty() || has_name(meters, name)) return;
  MeterDescription meter;
  meter.name = std::move(name);
  meter.file = zone / "energy_uj";
  meter.unit = kMicrojoule;
  meter.range = number_of(line_of(zone / "max_energy_range_uj"));
  meter.most_watts = meter.name.starts_with("psys") ? kMostWattsOfNode : kMostWattsOfPart;
  meters.push_back(std::move(meter));
}

// "energy1_input" is sensor "energy1"; empty if it is something else.
std::string energy_sensor(const std::string& file) {
  constexpr std::string_view kEnd = "_input";
  if (!file.starts_with("energy") || !file.ends_with(kEnd)) return {};
  return file.substr(0, file.size() - kEnd.size());
}

}  // namespace

std::vector<MeterDescription> find_rapl(const fs::path& sysfs) {
  // Newer servers have the same zones by TPMI, and small machines by MMIO.
  constexpr std::array<std::string_view, 3> kDrivers = {
      "intel-rapl:", "intel-rapl-tpmi:", "intel-rapl-mmio:"};
  const fs::path directory = sysfs / "class/powercap";
  const std::vector<std::string> zones = names_in(directory);
  std::vector<MeterDescription> meters;
  for (const std::string_view driver : kDrivers) {
    for (const std::string& zone : zones) {
      if (!zone.starts_with(driver)) continue;
      const std::size_t inside = zone.find(':', driver.size());
      const std::string name = line_of(directory / zone / "name");
      if (inside == std::string::npos)
        add_zone(meters, directory / zone, name);
      else if (name.starts_with("dram"))
        add_zone(meters, directory / zone,
                 fmt::format("{}/{}", line_of(directory / zone.substr(0, inside) / "name"), name));
    }
  }
  return meters;
}

std::vector<MeterDescription> find_cray(const fs::path& sysfs) {
  constexpr std::string_view kWhole = "energy";
  constexpr std::string_view kPart = "_energy";
  const fs::path directory = sysfs / "cray/pm_counters";
  std::vector<MeterDescription> meters;
  for (const std::string& file : names_in(directory)) {
    const bool is_part = file.ends_with(kPart);
    if (file != kWhole && !is_part) continue;
    MeterDescription meter;
    meter.name =
        is_part ? fmt::format("node/{}", file.substr(0, file.size() - kPart.size())) : "node";
    meter.file = directory / file;
    meter.unit = kJoule;
    meter.most_watts = is_part ? kMostWattsOfPart : kMostWattsOfNode;
    meters.push_back(std::move(meter));
  }
  return meters;
}

std::vector<MeterDescription> find_hwmon(const fs::path& sysfs) {
  const fs::path directory = sysfs / "class/hwmon";
  std::vector<MeterDescription> meters;
  for (const std::string& chip : names_in(directory)) {
    for (const std::string& file : names_in(directory / chip)) {
      const std::string sensor = energy_sensor(file);
      if (sensor.empty()) continue;
      const std::string label = line_of(directory / chip / (sensor + "_label"));
      if (label.starts_with("Ecore")) continue;
      MeterDescription meter;
      const std::string driver = line_of(directory / chip / "name");
      meter.name =
          fmt::format("{}/{}", driver.empty() ? chip : driver, label.empty() ? sensor : label);
      if (has_name(meters, meter.name))
        meter.name = fmt::format("{}/{}", chip, label.empty() ? sensor : label);
      meter.file = directory / chip / file;
      meter.unit = kMicrojoule;
      meter.most_watts = kMostWattsOfPart;
      meters.push_back(std::move(meter));
    }
  }
  return meters;
}

}  // namespace huddle::power
