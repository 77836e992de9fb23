#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiles/hardware/power/sensor.hpp"

namespace huddle::power {

/// All that Linux shows of energy and power below `sysfs`, each with what it covers, as a tree:
/// RAPL's zones in class/powercap (Intel's by MSR, TPMI and MMIO, AMD's), the counters of Cray
/// nodes in cray/pm_counters, and energy and power in class/hwmon (INA231 and its kin, ACPI power
/// meters, amd_energy, amdgpu). A zone that several drivers show is there once for each of them,
/// the first one counts and the others have `same_as`. Nothing is read but names and properties.
/// Throws std::bad_alloc only.
std::vector<Sensor> find_sensors(const std::filesystem::path& sysfs = "/sys");

/// Sensors whose sum is the most of the node that can be known without counting anything twice: the
/// one that covers the node, else the platform, else packages, memory and the rails of cores and
/// graphics that are no part of another one. What does not say which part it covers is never in it.
/// Names; empty if there are none. `sensors`: those that work; the others may be left out.
std::vector<std::string> sum_of_node(const std::vector<Sensor>& sensors);

}  // namespace huddle::power
