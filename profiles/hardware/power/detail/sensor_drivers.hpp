#pragma once

// Internal to power: the sensors of each interface of Linux. They append to `sensors`, with parents
// inside of the interface only.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "profiles/hardware/power/sensor.hpp"

namespace huddle::power {

void find_rapl(const std::filesystem::path& sysfs, std::vector<Sensor>& sensors);
void find_cray(const std::filesystem::path& sysfs, std::vector<Sensor>& sensors);
void find_hwmon(const std::filesystem::path& sysfs, std::vector<Sensor>& sensors);

inline bool is_name_taken(const std::vector<Sensor>& sensors, const std::string& name) {
  return std::any_of(sensors.begin(), sensors.end(),
                     [&](const Sensor& sensor) { return sensor.name == name; });
}

inline constexpr double kMostWattsOfPart = 10'000;
inline constexpr double kMostWattsOfNode = 100'000;

}  // namespace huddle::power
