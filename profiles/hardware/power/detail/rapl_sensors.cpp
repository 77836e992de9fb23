#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "profiles/files/kernel_text.hpp"
#include "profiles/hardware/power/detail/sensor_drivers.hpp"

namespace huddle::power {
namespace {

namespace fs = std::filesystem;

// Newer servers have the same zones by TPMI, and small machines by MMIO.
constexpr std::array<std::string_view, 3> kDrivers = {"intel-rapl", "intel-rapl-tpmi",
                                                      "intel-rapl-mmio"};

Covers covered_by_zone(std::string_view name) {
  if (name.starts_with("package")) return Covers::kPackage;
  if (name.starts_with("psys")) return Covers::kPlatform;
  if (name.starts_with("dram")) return Covers::kMemory;
  if (name.starts_with("core")) return Covers::kCores;
  if (name.starts_with("uncore")) return Covers::kGraphics;
  return Covers::kOther;
}

// Memory is a domain of its own beside its package's; cores and graphics are inside of it.
bool is_inside_of_package(Covers covers) {
  return covers == Covers::kCores || covers == Covers::kGraphics;
}

// The folders of zones by their names, such as "intel-rapl:0:1"; those in order. Linux links all
// of them in class/powercap, where each also lies in the folder of the zone outside of it.
std::vector<std::pair<std::string, fs::path>> zones_in(const fs::path& directory, int deeper) {
  std::vector<std::pair<std::string, fs::path>> zones;
  for (const std::string& name : files::sorted_names_in(directory)) {
    if (name.find("rapl") == std::string::npos) continue;
    if (name.find(':') != std::string::npos) zones.emplace_back(name, directory / name);
    if (deeper == 0) continue;
    for (auto& zone : zones_in(directory / name, deeper - 1)) zones.push_back(std::move(zone));
  }
  return zones;
}

std::map<std::string, fs::path> zones_by_name(const fs::path& directory) {
  constexpr int kDeepest = 2;
  std::map<std::string, fs::path> found;
  for (auto& [name, path] : zones_in(directory, kDeepest)) found.emplace(name, std::move(path));
  return found;
}

// "intel-rapl:10" comes behind "intel-rapl:2".
std::vector<std::string> in_order(const std::map<std::string, fs::path>& zones) {
  std::vector<std::string> names;
  for (const auto& [name, path] : zones) names.push_back(name);
  std::stable_sort(names.begin(), names.end(),
                   [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
  return names;
}

// Twice the largest limit that the zone says; what is assumed where it says none.
double sustained_watts(const fs::path& zone, double assumed) {
  constexpr double kMicrowatts = 1e-6;
  constexpr double kMargin = 2;
  double limit = 0;
  for (const std::string_view constraint : {"constraint_0", "constraint_1", "constraint_2"})
    for (const std::string_view what : {"power_limit_uw", "max_power_uw"}) {
      const std::string file = fmt::format("{}_{}", constraint, what);
      limit = std::max(limit,
                       static_cast<double>(files::whole_number(files::first_line_of(zone / file))));
    }
  return limit > 0 ? std::min(kMargin * limit * kMicrowatts, assumed) : assumed;
}

// Nothing of a zone without a name.
std::optional<Sensor> sensor_of_zone(const std::string& zone, const fs::path& path,
                                     const std::string& outer) {
  constexpr double kMicrojoule = 1e-6;
  const std::string own = files::first_line_of(path / "name");
  if (own.empty()) return std::nullopt;
  Sensor sensor;
  sensor.name = outer.empty() ? own : fmt::format("{}/{}", outer, own);
  sensor.interface = zone.substr(0, zone.find(':'));
  sensor.covers = covered_by_zone(own);
  if (is_inside_of_package(sensor.covers)) sensor.parent = outer;
  sensor.file = path / "energy_uj";
  sensor.unit = kMicrojoule;
  sensor.range = files::whole_number(files::first_line_of(path / "max_energy_range_uj"));
  sensor.most_watts = sensor.covers == Covers::kPlatform ? kMostWattsOfNode : kMostWattsOfPart;
  sensor.sustained_watts = sustained_watts(path, sensor.sustained_watts);
  return sensor;
}

}  // namespace

void find_rapl(const fs::path& sysfs, std::vector<Sensor>& sensors) {
  const std::map<std::string, fs::path> path_of = zones_by_name(sysfs / "class/powercap");
  const std::vector<std::string> zones = in_order(path_of);
  const auto name_of_outer = [&](const std::string& zone) -> std::string {
    const auto outer = path_of.find(zone.substr(0, zone.rfind(':')));
    return outer == path_of.end() ? "" : files::first_line_of(outer->second / "name");
  };
  for (const std::string_view driver : kDrivers)
    for (const std::string& zone : zones) {
      if (!zone.starts_with(fmt::format("{}:", driver))) continue;
      std::optional<Sensor> sensor = sensor_of_zone(zone, path_of.at(zone), name_of_outer(zone));
      if (!sensor) continue;
      if (is_name_taken(sensors, sensor->name)) {
        sensor->same_as = sensor->name;
        sensor->name = fmt::format("{} ({})", sensor->name, zone);
      }
      sensors.push_back(std::move(*sensor));
    }
}

}  // namespace huddle::power
