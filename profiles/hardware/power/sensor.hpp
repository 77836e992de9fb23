#pragma once

// Sensors of a node's energy or power, and the part of the node that each covers.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle::power {

/// The part of a node that a sensor covers, as its driver says.
enum class Covers : std::uint8_t {
  kNode,         ///< all of the node
  kPlatform,     ///< RAPL's psys: what the firmware's maker connected to it, packages included
  kPackage,      ///< a package, or a die of one
  kCores,        ///< the cores of a package or of a cluster
  kGraphics,     ///< the graphics, and what else RAPL calls uncore
  kMemory,       ///< memory modules
  kAccelerator,  ///< a card
  kOther,        ///< it is not said, or none of these
};

/// "node", "platform", "package", "cores", "graphics", "memory", "accelerator" or "other".
std::string_view name_of(Covers covers);

enum class Quantity : std::uint8_t {
  kEnergy,  ///< counts upwards
  kPower,   ///< tells power, from which energy can be integrated
};

/// "energy" or "power".
std::string_view name_of(Quantity quantity);

/// A file that tells energy or power.
struct Sensor {
  /// Unique on the node, such as "package-0/dram" or "ina231/sensor_arm".
  std::string name;
  /// Through what Linux shows it: "intel-rapl", "intel-rapl-tpmi", "intel-rapl-mmio", "cray", or
  /// "hwmon".
  std::string interface;
  Covers covers = Covers::kOther;
  /// The sensor that counts all of this one as well; empty if there is none.
  std::string parent;
  /// A sensor that shows the very same; empty if there is none.
  std::string same_as;
  Quantity quantity = Quantity::kEnergy;
  /// A file whose text begins with a whole number.
  std::string file;
  /// Energy or power that one count stands for, in J or W.
  double unit = 0;
  /// The highest count, after which energy begins again at 0; 0 if it never does.
  std::uint64_t range = 0;
  /// Time between its new values, as far as the driver says.
  std::optional<Seconds> refresh;
  /// More than this, in W, no such part of a node takes on average.
  double most_watts = 0;
  /// More than this, in W, it does not draw for long: twice the limit that its driver says, else as
  /// assumed. With `range` it determines how soon a count may begin anew.
  double sustained_watts = 1000;
};

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
