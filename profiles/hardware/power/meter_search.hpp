#pragma once

#include <filesystem>
#include <vector>

#include "profiles/hardware/power/energy_meter.hpp"

namespace huddle::power {

/// RAPL zones in class/powercap below `sysfs`, Intel's and AMD's: "package-0", "package-0/dram",
/// "psys". Cores and graphics are left out, since their package's meter counts them as well. Where
/// several drivers show the same zone, the first of them counts.
std::vector<MeterDescription> find_rapl(const std::filesystem::path& sysfs);

/// The counters of Cray nodes in cray/pm_counters: "node", and its parts as "node/cpu",
/// "node/memory", "node/accel0".
std::vector<MeterDescription> find_cray(const std::filesystem::path& sysfs);

/// Meters of drivers such as amd_energy, in class/hwmon: "amd_energy/Esocket0". Cores are left out.
std::vector<MeterDescription> find_hwmon(const std::filesystem::path& sysfs);

}  // namespace huddle::power
